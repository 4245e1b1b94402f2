// The programs that write keystores in real life, run once per test process on a folder of its own.
import { execFile, spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { bag, certificateBag, certificateOf, identity, octets, pbes2, pkcs12, sequence } from './keystore-writer.ts'

/** Why tests with keytool cannot run here, or false. */
export const keytoolMissing: string | false =
  spawnSync('keytool', ['-help']).error === undefined ? false : 'keytool is not on the PATH; nothing of Java was read'

/** Why tests with openssl cannot run here, or false. */
export const opensslMissing: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not on the PATH; nothing of it was read'

/** Runs a program in a folder, with what it should read from standard input; gives what it prints. */
function run(folder: string, program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, LC_ALL: 'C.UTF-8' }
    const child = execFile(program, args, { cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`))
    })
    // A program that needs no input may end before it was written.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Options that make a short-lived JVM start sooner, and speak English. */
const lightly = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Duser.language=en'].map((option) => `-J${option}`)

export const keytool = (folder: string, args: string, input?: string): Promise<string> =>
  run(folder, 'keytool', [...lightly, ...args.split(' ')], input)

export const openssl = (folder: string, args: string): Promise<string> => run(folder, 'openssl', args.split(' '))

/** Runs jobs two at a time: more would only stand in each other's way. */
export async function inLanes(jobs: readonly (() => Promise<unknown>)[]): Promise<void> {
  const waiting = [...jobs]
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await job()
  }
  await Promise.all([lane(), lane()])
}

/** A key of each kind, made by Node. */
export const keyKinds: Readonly<Record<string, () => { readonly privateKey: KeyObject }>> = {
  rsa2048: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  rsa4096: () => generateKeyPairSync('rsa', { modulusLength: 4096 }),
  p256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  ed25519: () => generateKeyPairSync('ed25519'),
  ed448: () => generateKeyPairSync('ed448'),
  x25519: () => generateKeyPairSync('x25519'),
  dsa: () => generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }),
}

/** A key with the certificates of leaf, intermediate and root. */
export interface Chained {
  readonly alias: string
  readonly key: KeyObject
  readonly chain: readonly Buffer[]
}

/** One key of each kind, under a root and an intermediate authority. */
export function chainedKeys(): readonly Chained[] {
  const root = identity(10, 'root')
  const middle = identity(11, 'middle')
  const middleCertificate = certificateOf('middle', createPublicKey(middle.key), 'root', root.key)
  return Object.entries(keyKinds).map(([alias, make]) => {
    const { privateKey: key } = make()
    const leaf = certificateOf(alias, createPublicKey(key), 'middle', middle.key)
    return { alias, key, chain: [leaf, middleCertificate, root.certificate] }
  })
}

/** A PKCS #12 file with these keys and a trusted certificate, for keytool to read and to write in its own ways. */
export function sourceOf(keys: readonly Chained[], trusted: Buffer): Buffer {
  const keyBags = keys.map(({ alias, key }) => {
    const [algorithm, encrypted] = pbes2(key.export({ format: 'der', type: 'pkcs8' }), 'changeit', 1000)
    return bag(2, sequence(algorithm, octets(encrypted)), alias, alias)
  })
  const leaves = keys.map(({ alias, chain }) => bag(3, certificateBag(chain[0]!), alias, alias))
  const authorities = (keys[0]?.chain.slice(1) ?? []).map((certificate) => bag(3, certificateBag(certificate)))
  const trustedBag = bag(3, certificateBag(trusted), 'trusted', undefined, 'trusted')
  return pkcs12(keyBags, [...leaves, ...authorities, trustedBag], { iterations: 1000 })
}
