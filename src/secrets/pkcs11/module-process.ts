import { type ChildProcess, spawn } from 'node:child_process'
import { ModuleFunctionError, ModuleUnavailableError } from './module-errors.ts'
import { RpcReader, sized, uint32 } from './rpc-values.ts'

/** Largest response of the process; certificates are the longest values. */
const LARGEST_RESPONSE = 256 * 1024
/** Of the error output, for messages. */
const KEPT_OUTPUT = 2_000
const HEADER_BYTES = 12
const PROTOCOL_VERSION = 0

export interface ModuleSettings {
  /** Path of the PKCS #11 module. */
  readonly library: string
  /** Environment variables of the process, where modules find their configuration. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Milliseconds for a call. */
  readonly timeout: number
}

interface Call {
  readonly name: string
  readonly resolve: (response: RpcReader) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/**
 * A PKCS #11 module in a process: `p11-kit remote` loads it and serves its functions by the RPC protocol of p11-kit on stdin and
 * stdout. Modules are not loaded into Node.js, where their calls would block a unit and a crash would end the gateway.
 */
export class ModuleProcess {
  readonly #settings: ModuleSettings
  readonly #child: ChildProcess
  readonly #calls = new Map<number, Call>()
  #last = 0
  #input: Buffer = Buffer.alloc(0)
  #versionRead = false
  #output = ''
  #ended: ModuleUnavailableError | null = null

  constructor(settings: ModuleSettings) {
    this.#settings = settings
    this.#child = spawn('p11-kit', ['remote', settings.library], {
      env: { ...settings.variables },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child.on('error', (error: NodeJS.ErrnoException) => this.#end(startError(error)))
    this.#child.on('close', (code, signal) => this.#end(this.#exitError(code, signal)))
    // The cause follows by `close`.
    this.#child.stdin?.on('error', () => {})
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT)
    })
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#receive(bytes))
    // The server responds with the highest version that both have.
    this.#child.stdin?.write(Buffer.of(PROTOCOL_VERSION))
  }

  get usable(): boolean {
    return this.#ended === null
  }

  /** Calls a function by its number, with the types of its arguments; several calls are answered in order. */
  call(name: string, id: number, types: string, ...values: readonly Buffer[]): Promise<RpcReader> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) return reject(this.#ended)
      // Restarts after 2^31 calls; zero is no valid number.
      this.#last = (this.#last % 0x7fff_ffff) + 1
      const code = this.#last
      const { timeout } = this.#settings
      const timer = setTimeout(() => {
        this.stop(
          new ModuleUnavailableError(`the module has not answered ${name} within ${timeout} ms and was stopped`),
        )
      }, timeout)
      this.#calls.set(code, { name, resolve, reject, timer })
      const body = Buffer.concat([uint32(id), sized(Buffer.from(types)), ...values])
      this.#child.stdin?.write(Buffer.concat([uint32(code), uint32(0), uint32(body.length), body]))
    })
  }

  /** Ends the process at once; calls in progress fail with the reason. */
  stop(reason = new ModuleUnavailableError('the process of the module was stopped')): void {
    this.#end(reason)
    this.#child.kill('SIGKILL')
  }

  #receive(bytes: Buffer): void {
    if (this.#ended !== null) return
    this.#input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes])
    if (!this.#versionRead) {
      this.#versionRead = true
      if (this.#input[0] !== PROTOCOL_VERSION) {
        this.stop(new ModuleUnavailableError('p11-kit uses another version of its protocol', 'unloadable'))
        return
      }
      this.#input = this.#input.subarray(1)
    }
    while (this.#input.length >= HEADER_BYTES) {
      const length = this.#input.readUInt32BE(4) + this.#input.readUInt32BE(8)
      if (length > LARGEST_RESPONSE) {
        this.stop(new ModuleUnavailableError('the process of the module sent a response that is too long'))
        return
      }
      if (this.#input.length < HEADER_BYTES + length) return
      const call = this.#calls.get(this.#input.readUInt32BE(0))
      const message = this.#input.subarray(HEADER_BYTES + this.#input.readUInt32BE(4), HEADER_BYTES + length)
      this.#calls.delete(this.#input.readUInt32BE(0))
      this.#input = this.#input.subarray(HEADER_BYTES + length)
      if (call !== undefined) settle(call, message)
    }
  }

  #exitError(code: number | null, signal: NodeJS.Signals | null): ModuleUnavailableError {
    const how = signal === null ? `exited with status ${code}` : `was ended by ${signal}`
    const detail = this.#output.trim().split('\n').at(-1) ?? ''
    const printable = detail.replace(/[^\x20-\x7e]/g, '?').slice(0, 300)
    return new ModuleUnavailableError(
      `the process of the module ${how}${printable === '' ? '' : `: ${printable}`}`,
      // p11-kit exits at once where the library is no PKCS #11 module.
      signal === null && !this.#versionRead ? 'unloadable' : 'ended',
    )
  }

  #end(reason: ModuleUnavailableError): void {
    if (this.#ended !== null) return
    this.#ended = reason
    for (const { timer, reject } of this.#calls.values()) {
      clearTimeout(timer)
      reject(reason)
    }
    this.#calls.clear()
    this.#child.stdin?.end()
  }
}

function startError(error: NodeJS.ErrnoException): ModuleUnavailableError {
  if (error.code !== 'ENOENT') return new ModuleUnavailableError(`p11-kit can not be started: ${error.message}`)
  return new ModuleUnavailableError(
    'the program p11-kit, which runs PKCS #11 modules, is not installed: Debian has it in the package p11-kit, Fedora in p11-kit-server',
    'unloadable',
  )
}

/** The response has the number of its function, or zero and an error. */
function settle({ name, timer, resolve, reject }: Call, message: Buffer): void {
  clearTimeout(timer)
  try {
    const reader = new RpcReader(message)
    const failed = reader.uint32() === 0
    reader.sized()
    if (failed) reject(new ModuleFunctionError(name, Number(reader.ulong())))
    else resolve(reader)
  } catch {
    reject(new ModuleUnavailableError(`the process of the module sent an invalid response to ${name}`))
  }
}
