// A checksum of what is cached on the device: fast, and any damaged or missing stretch changes it.

/** Two running sums over the 32-bit words of `data`, then over its last bytes. @param {Uint8Array} data */
export function checksum(data) {
  const words = new Int32Array(data.buffer, data.byteOffset, data.byteLength >> 2);
  let first = data.byteLength;
  let second = 0;
  for (let i = 0; i < words.length; i += 1) {
    first = (first + words[i]) | 0;
    second = (second + first) | 0;
  }
  for (let i = words.length * 4; i < data.byteLength; i += 1) {
    first = (first + data[i]) | 0;
    second = (second + first) | 0;
  }
  return `${first >>> 0}-${second >>> 0}`;
}
