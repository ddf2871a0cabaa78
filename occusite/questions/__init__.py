"""Questions about an answer, asked alike of every vendor's devices."""
