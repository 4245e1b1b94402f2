// RC2 (RFC 2268), decryption only: old PKCS #12 files encrypt certificates with 40 bits of it, and OpenSSL has it only in the
// legacy provider, which Node does not load.

/** The permutation PITABLE of RFC 2268 section 2, derived there from the digits of pi. */
const pi = Buffer.from(
  [
    'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2',
    '179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82',
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626',
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7',
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec',
    'c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731',
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9',
    '0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  ].join(''),
  'hex',
)

const BLOCK = 8

/** RFC 2268 section 2: 64 words from a key with `effectiveBits`. */
function expandKey(key: Buffer, effectiveBits: number): Uint16Array {
  const bytes = Buffer.alloc(128)
  key.copy(bytes)
  for (let at = key.length; at < 128; at++) bytes[at] = pi[(bytes[at - 1]! + bytes[at - key.length]!) & 0xff]!
  const effectiveBytes = Math.ceil(effectiveBits / 8)
  const mask = 0xff >> (8 * effectiveBytes - effectiveBits)
  bytes[128 - effectiveBytes] = pi[bytes[128 - effectiveBytes]! & mask]!
  for (let at = 127 - effectiveBytes; at >= 0; at--) bytes[at] = pi[bytes[at + 1]! ^ bytes[at + effectiveBytes]!]!
  return Uint16Array.from({ length: 64 }, (_, word) => bytes.readUInt16LE(2 * word))
}

/** Rotation of each of the four words in a mixing round. */
const turns = [1, 2, 3, 5] as const

/** RFC 2268 section 4: 5 mixing rounds, mash, 6 mixing rounds, mash, 5 mixing rounds, backwards. */
function decryptBlock(words: Uint16Array, key: Uint16Array): void {
  let next = 63
  for (let round = 15; round >= 0; round--) {
    for (let at = 3; at >= 0; at--) {
      const [before, second, third] = [words[(at + 3) & 3]!, words[(at + 2) & 3]!, words[(at + 1) & 3]!]
      const turn = turns[at]!
      const word = (words[at]! >>> turn) | (words[at]! << (16 - turn))
      words[at] = word - key[next]! - (before & second) - (~before & third)
      next -= 1
    }
    if (round === 11 || round === 5) {
      for (let at = 3; at >= 0; at--) words[at] = words[at]! - key[words[(at + 3) & 3]! & 63]!
    }
  }
}

/** Decrypts RC2 in CBC mode, without removing the padding; the length must be a multiple of 8. */
export function decryptRc2Cbc(ciphertext: Buffer, key: Buffer, iv: Buffer): Buffer {
  const words = new Uint16Array(4)
  const expanded = expandKey(key, 8 * key.length)
  const plain = Buffer.alloc(ciphertext.length)
  for (let start = 0; start < ciphertext.length; start += BLOCK) {
    for (let at = 0; at < 4; at++) words[at] = ciphertext.readUInt16LE(start + 2 * at)
    decryptBlock(words, expanded)
    for (let at = 0; at < 4; at++) {
      const chained = start === 0 ? iv.readUInt16LE(2 * at) : ciphertext.readUInt16LE(start - BLOCK + 2 * at)
      plain.writeUInt16LE(words[at]! ^ chained, start + 2 * at)
    }
  }
  return plain
}
