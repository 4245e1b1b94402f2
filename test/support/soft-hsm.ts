import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Folder } from './folder.ts'
import { testIdentity } from './test-identity.ts'

const LIBRARIES = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/pkcs11/libsofthsm2.so']

export const softHsmLibrary = LIBRARIES.find((path) => existsSync(path)) ?? ''

const programs = ['softhsm2-util', 'pkcs11-tool', 'p11-kit'].filter((name) => spawnSync(name).error !== undefined)

/** Why tests with SoftHSM can not run here, or false. */
export const softHsmMissing: string | false =
  programs.length === 0 && softHsmLibrary !== ''
    ? false
    : `not on the PATH: ${programs.join(', ')} (Debian: softhsm2, opensc, p11-kit); no security module was used`

export const PIN = '90210-correct-pin'

/** A token of SoftHSM with keys; their private parts can not be read. */
export class SoftHsm implements Disposable {
  readonly #folder = new Folder()
  /** Environment variables of processes that use the token. */
  readonly variables: Record<string, string>
  readonly rsa: KeyObject
  readonly ec: KeyObject

  constructor() {
    this.#folder.write('tokens/empty', '')
    this.#folder.write('softhsm2.conf', `directories.tokendir = ${this.#folder.in('tokens')}\nlog.level = ERROR\n`)
    this.variables = { PATH: process.env['PATH'] ?? '', SOFTHSM2_CONF: this.#folder.in('softhsm2.conf') }
    this.addToken('gateway')
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { key, certificate } = testIdentity('in the module', { keyUsage: 0x80 })
    this.rsa = rsa.publicKey
    this.ec = createPublicKey(key)
    this.import('rsa-key', '01', rsa.privateKey)
    this.import('ec-key', '02', key)
    writeFileSync(this.#folder.in('certificate.der'), certificate.raw)
    this.tool('--write-object', this.#folder.in('certificate.der'), '--type', 'cert', '--id', '02', '--label', 'ec-key')
    this.tool('--keygen', '--key-type', 'AES:32', '--id', '03', '--label', 'aes-key')
  }

  addToken(label: string): void {
    this.#run('softhsm2-util', '--init-token', '--free', '--label', label, '--pin', PIN, '--so-pin', '12345678')
  }

  import(label: string, id: string, key: KeyObject): void {
    this.#folder.write('key.pem', key.export({ format: 'pem', type: 'pkcs8' }) as string)
    const words = ['--import', this.#folder.in('key.pem'), '--token', 'gateway', '--label', label, '--id', id]
    this.#run('softhsm2-util', ...words, '--pin', PIN)
  }

  /** Runs pkcs11-tool with the token. */
  tool(...words: readonly string[]): void {
    const login = ['--module', softHsmLibrary, '--token-label', 'gateway', '--login', '--pin', PIN]
    this.#run('pkcs11-tool', ...login, ...words)
  }

  changePin(from: string, to: string): void {
    const words = ['--module', softHsmLibrary, '--token-label', 'gateway', '--login', '--pin', from]
    this.#run('pkcs11-tool', ...words, '--change-pin', '--new-pin', to)
  }

  #run(program: string, ...words: readonly string[]): void {
    execFileSync(program, words, { env: this.variables, stdio: ['ignore', 'ignore', 'pipe'] })
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]()
  }
}

/** Processes of p11-kit that this process has started. */
export function moduleProcesses(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isModule(pid))
}

function isModule(pid: number): boolean {
  try {
    const [, name, state, parent] = /\((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return Number(parent) === process.pid && state !== 'Z' && name?.startsWith('p11-kit') === true
  } catch {
    // It ended meanwhile.
    return false
  }
}
