// Mutations of small keystores. Each must give a KeyStoreError or the original content, within a time limit.
// FUZZ_RUNS sets the number of each kind; runs are repeatable by FUZZ_SEED.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleJceks, sampleJks, samplePassword, samplePkcs12 } from '../../test/support/keystore-samples.ts'
import { pfx, withJavaDigest } from '../../test/support/keystore-writer.ts'
import { type KeyStore, KeyStoreError, type KeyStoreType, readKeyStore } from './index.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 500)
const seed = Number(process.env['FUZZ_SEED'] ?? 20260101)

/** Far above the time of one mutation, and far below a hang. */
const longestMilliseconds = 100

/** Xorshift: a mutation can be repeated from seed and number. */
function randomFrom(start: number): (below: number) => number {
  let state = (start ^ 0x9e3779b9) >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** Hostile values of a length or a count. */
const telling = [0x00, 0x01, 0x7f, 0x80, 0x81, 0x84, 0xff, 0x30, 0x04, 0x06, 0x70, 0x71, 0x72, 0x73]

function mutated(original: Buffer, random: (below: number) => number): Buffer {
  let bytes = Buffer.from(original)
  for (let change = random(3); change >= 0; change--) {
    const at = random(bytes.length)
    const kind = random(6)
    if (kind === 0) bytes[at] = bytes[at]! ^ (1 << random(8))
    else if (kind === 1) bytes[at] = telling[random(telling.length)]!
    else if (kind === 2) bytes[at] = random(256)
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(8))])
    else if (kind === 4)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(random(bytes.length), at + 8), bytes.subarray(at)])
    else
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(1 + random(8), telling[random(telling.length)]!),
        bytes.subarray(at),
      ])
    if (bytes.length === 0) return bytes
  }
  return bytes
}

/** Reads and decrypts all entries into one text; an entry that fails is represented by its error. */
function summary(store: KeyStore): string {
  const lines = store.entries.map((entry) => {
    if (entry.kind === 'trusted') return `${entry.alias} ${entry.certificate.fingerprint256}`
    const opened = outcome(() => {
      if (entry.kind === 'secret') return entry.secret(null).bytes.toString('hex')
      return entry.privateKey(null).export({ format: 'der', type: 'pkcs8' }).toString('hex')
    })
    const chain = entry.kind === 'key' ? entry.chain.map((certificate) => certificate.fingerprint256) : []
    return `${entry.alias} ${opened} ${chain.join()}`
  })
  return lines.join('\n')
}

function outcome(read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (error instanceof KeyStoreError) return error.code
    throw error
  }
}

interface Target {
  readonly name: string
  readonly type: KeyStoreType
  readonly original: Buffer
  /** Recomputes the integrity check after a mutation, so that the code behind it is reached. */
  readonly sealed?: (bytes: Buffer) => Buffer
}

const safe = samplePkcs12({ mac: 'none', encrypted: false })
const innerSafe = safe.subarray(safe.indexOf(Buffer.from('2a864886f70d010701', 'hex')) + 9)
const withoutHeaders = innerSafe.subarray(innerSafe.indexOf(Buffer.from([0x30, 0x82])))

const targets: readonly Target[] = [
  { name: 'PKCS12', type: 'PKCS12', original: samplePkcs12() },
  { name: 'PKCS12 with PBMAC1', type: 'PKCS12', original: samplePkcs12({ mac: 'pbmac1' }) },
  { name: 'PKCS12 behind its MAC', type: 'PKCS12', original: withoutHeaders, sealed: (bytes) => pfx(bytes) },
  { name: 'JKS', type: 'JKS', original: sampleJks() },
  { name: 'JKS behind its digest', type: 'JKS', original: sampleJks().subarray(0, -20), sealed: withJavaDigest },
  { name: 'JCEKS', type: 'JCEKS', original: sampleJceks() },
  { name: 'JCEKS behind its digest', type: 'JCEKS', original: sampleJceks().subarray(0, -20), sealed: withJavaDigest },
]

for (const { name, type, original, sealed = (bytes: Buffer) => bytes } of targets) {
  test(`${runs} mutations of ${name} are rejected or read as the original`, () => {
    const genuine = summary(readKeyStore(sealed(original), type, samplePassword))
    let refused = 0
    for (let run = 0; run < runs; run++) {
      const bytes = sealed(mutated(original, randomFrom(seed + run * 7919)))
      const [found, took] = timed(() => outcome(() => summary(readKeyStore(bytes, type, samplePassword))))
      // Without a recomputed integrity check only the original may be read.
      const believed = !/^GW_KEYSTORE_/.test(found)
      if (believed && original === sealed(original)) assert.equal(found, genuine, `run ${run}`)
      if (!believed) refused += 1
      assert.ok(took <= longestMilliseconds || mayDeriveLong(bytes), `run ${run} took ${took} ms`)
    }
    assert.ok(refused > 0)
  })
}

/** CPU time of this thread, which does not depend on the load of the machine. */
function timed<T>(run: () => T): readonly [T, number] {
  const start = process.threadCpuUsage()
  const value = run()
  const { user, system } = process.threadCpuUsage(start)
  return [value, (user + system) / 1000]
}

/** Whether the position has an INTEGER of three or four bytes: an iteration count that may be mutated up to the budget. */
function mayDeriveLong(bytes: Buffer): boolean {
  return bytes.includes(Buffer.from([0x02, 0x03])) || bytes.includes(Buffer.from([0x02, 0x04]))
}
