import {
  CKR_PIN_INCORRECT,
  CKR_PIN_INVALID,
  CKR_PIN_LEN_RANGE,
  CKR_PIN_LOCKED,
  CKR_USER_ALREADY_LOGGED_IN,
  ModuleFunctionError,
  ModuleUnavailableError,
} from './module-errors.ts'
import type { ModuleProcess } from './module-process.ts'
import {
  type AttributeForms,
  type AttributeValue,
  attributeBuffers,
  byteArray,
  template,
  uint32,
  ulong,
} from './rpc-values.ts'

/** Selects a token of the module: by its label, by the number of its slot, or the only one. */
export interface TokenChoice {
  readonly label: string | null
  readonly slot: number | null
}

/** What the configuration, or the token, has to change; the field is a pointer in the configuration. */
export class TokenProblem extends Error {
  readonly pointer: string
  /** Whether the token has counted a wrong PIN. */
  readonly wrongPin: boolean

  constructor(pointer: string, message: string, wrongPin = false) {
    super(message)
    this.name = 'TokenProblem'
    this.pointer = pointer
    this.wrongPin = wrongPin
  }
}

interface FoundToken {
  readonly slot: bigint
  readonly label: string
  readonly flags: bigint
}

const HANDSHAKE = Buffer.from('PRIVATE-GNOME-KEYRING-PKCS11-PROTOCOL-V-1')
const MAX_SLOTS = 256
/** Objects of one label; more are a mistake. */
const MAX_OBJECTS = 16
const CKF_SERIAL_SESSION = 4
const CKF_TOKEN_INITIALIZED = 0x400n
const CKF_USER_PIN_FINAL_TRY = 0x2_0000n
const CKF_USER_PIN_LOCKED = 0x4_0000n
const CKU_USER = 1
const WRONG_PIN = new Set([CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE])
/** The field of the PIN. */
const PIN = '/storePasswordSecretId'
const LARGEST_RESULT = 4_096

/** A session of a token, whose operations run one after the other. */
export class TokenSession {
  readonly #module: ModuleProcess
  readonly #session: Buffer

  private constructor(module: ModuleProcess, session: bigint) {
    this.#module = module
    this.#session = ulong(session)
  }

  /** Opens a session and logs in; a PIN that the token refuses is a TokenProblem. */
  static async open(module: ModuleProcess, choice: TokenChoice, pin: Buffer): Promise<TokenSession> {
    await module
      .call('C_Initialize', 1, 'ayyay', byteArray(HANDSHAKE), Buffer.of(0), byteArray(Buffer.alloc(0)))
      .catch(asProblem)
    const token = chosen(await tokensOf(module), choice)
    refuseLastTry(token)
    const opened = await module.call('C_OpenSession', 10, 'uu', ulong(token.slot), ulong(CKF_SERIAL_SESSION))
    const session = new TokenSession(module, opened.ulong())
    await session.#login(pin, token.label)
    return session
  }

  async #login(pin: Buffer, label: string): Promise<void> {
    try {
      await this.#module.call('C_Login', 18, 'uuay', this.#session, ulong(CKU_USER), byteArray(pin))
    } catch (error) {
      if (!(error instanceof ModuleFunctionError)) throw error
      if (error.code === CKR_USER_ALREADY_LOGGED_IN) return
      if (error.code === CKR_PIN_LOCKED) throw locked(label)
      if (!WRONG_PIN.has(error.code)) throw error
      throw new TokenProblem(
        PIN,
        `the token "${label}" rejects the PIN (${error.message}); it is not tried again before it changes, since tokens are locked after a few attempts`,
        true,
      )
    }
  }

  /** Handles of the objects of a class with these attributes. */
  async find(objectClass: number, attributes: ReadonlyMap<number, Buffer>): Promise<readonly bigint[]> {
    await this.#module.call('C_FindObjectsInit', 26, 'uaA', this.#session, template(objectClass, attributes))
    const found = await this.#module.call('C_FindObjects', 27, 'ufu', this.#session, uint32(MAX_OBJECTS))
    await this.#module.call('C_FindObjectsFinal', 28, 'u', this.#session)
    return found.ulongs()
  }

  /** Attributes of an object that it has and shows; `sizes` are the largest lengths of their values. */
  async attributes(
    object: bigint,
    sizes: ReadonlyMap<number, number>,
    forms: AttributeForms,
  ): Promise<Map<number, AttributeValue>> {
    const values = [this.#session, ulong(object), attributeBuffers(sizes)]
    return (await this.#module.call('C_GetAttributeValue', 24, 'uufA', ...values)).attributes(forms)
  }

  /** Signs with a key; `mechanism` is encoded. */
  sign(key: bigint, mechanism: Buffer, data: Buffer): Promise<Buffer> {
    return this.#operate(['C_SignInit', 42], ['C_Sign', 43], key, mechanism, data)
  }

  decrypt(key: bigint, mechanism: Buffer, data: Buffer): Promise<Buffer> {
    return this.#operate(['C_DecryptInit', 33], ['C_Decrypt', 34], key, mechanism, data)
  }

  async #operate(
    init: readonly [string, number],
    act: readonly [string, number],
    key: bigint,
    mechanism: Buffer,
    data: Buffer,
  ): Promise<Buffer> {
    await this.#module.call(...init, 'uMu', this.#session, mechanism, ulong(key))
    const result = await this.#module.call(...act, 'uayfy', this.#session, byteArray(data), uint32(LARGEST_RESULT))
    return result.byteArray()
  }
}

async function tokensOf(module: ModuleProcess): Promise<readonly FoundToken[]> {
  const slots = (await module.call('C_GetSlotList', 4, 'yfu', Buffer.of(1), uint32(MAX_SLOTS))).ulongs()
  const tokens: FoundToken[] = []
  for (const slot of slots) {
    const info = await module.call('C_GetTokenInfo', 6, 'u', ulong(slot))
    const [label] = [info.sized(), info.sized(), info.sized(), info.sized()]
    tokens.push({ slot, label: label!.toString('utf8').trimEnd(), flags: info.ulong() })
  }
  return tokens.filter(({ flags }) => (flags & CKF_TOKEN_INITIALIZED) !== 0n)
}

function chosen(tokens: readonly FoundToken[], { label, slot }: TokenChoice): FoundToken {
  const fitting = tokens.filter(
    (token) => (label === null || token.label === label) && (slot === null || token.slot === BigInt(slot)),
  )
  const [first] = fitting
  if (first !== undefined && fitting.length === 1) return first
  const names = tokens.map((token) => `"${token.label}" in the slot ${token.slot}`).join(', ')
  const present = names === '' ? 'it has no initialized token' : `its tokens are ${names}`
  if (first !== undefined) throw new TokenProblem('', `the module has several tokens: add token or slot; ${present}`)
  if (label !== null) throw new TokenProblem('/token', `the module has no token "${label}"; ${present}`)
  throw new TokenProblem(
    slot === null ? '/library' : '/slot',
    `the module has no token${slot === null ? '' : ` in the slot ${slot}`}; ${present}`,
  )
}

function asProblem(error: Error): never {
  if (error instanceof ModuleUnavailableError && error.unloadable) throw new TokenProblem('/library', error.message)
  throw error
}

/** A wrong PIN in several units would lock the token. */
function refuseLastTry({ label, flags }: FoundToken): void {
  if ((flags & CKF_USER_PIN_LOCKED) !== 0n) throw locked(label)
  if ((flags & CKF_USER_PIN_FINAL_TRY) === 0n) return
  throw new TokenProblem(
    PIN,
    `one more wrong PIN locks the token "${label}", so that the gateway does not log in; log in once with the tool of the module`,
  )
}

function locked(label: string): TokenProblem {
  return new TokenProblem(PIN, `the PIN of the token "${label}" is locked; reset it with the tool of the module`)
}
