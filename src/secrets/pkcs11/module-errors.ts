/** The module, or the process that runs it, is not usable; queries of other stores are not affected. */
export class ModuleUnavailableError extends Error {
  /** Whether the process ended by itself, so that the operation can be repeated in a new one. */
  readonly ended: boolean
  /** Whether the module can not be loaded at all, so that the configuration or the system has to change. */
  readonly unloadable: boolean

  constructor(message: string, cause: 'ended' | 'unloadable' | 'other' = 'other') {
    super(message)
    this.name = 'ModuleUnavailableError'
    this.ended = cause === 'ended'
    this.unloadable = cause === 'unloadable'
  }
}

/** A function of the module returned an error (PKCS #11 section 5.1). */
export class ModuleFunctionError extends Error {
  readonly code: number
  /** Name of the function. */
  readonly of: string

  constructor(of: string, code: number) {
    super(`${of} returned ${nameOf(code)}`)
    this.name = 'ModuleFunctionError'
    this.of = of
    this.code = code
  }
}

export const CKR_PIN_INCORRECT = 0xa0
export const CKR_PIN_INVALID = 0xa1
export const CKR_PIN_LEN_RANGE = 0xa2
export const CKR_PIN_LOCKED = 0xa4
export const CKR_USER_ALREADY_LOGGED_IN = 0x100

const NAMES: Readonly<Record<number, string>> = {
  2: 'CKR_HOST_MEMORY',
  3: 'CKR_SLOT_ID_INVALID',
  5: 'CKR_GENERAL_ERROR',
  6: 'CKR_FUNCTION_FAILED',
  7: 'CKR_ARGUMENTS_BAD',
  48: 'CKR_DEVICE_ERROR',
  49: 'CKR_DEVICE_MEMORY',
  50: 'CKR_DEVICE_REMOVED',
  64: 'CKR_ENCRYPTED_DATA_INVALID',
  65: 'CKR_ENCRYPTED_DATA_LEN_RANGE',
  84: 'CKR_FUNCTION_NOT_SUPPORTED',
  96: 'CKR_KEY_HANDLE_INVALID',
  98: 'CKR_KEY_SIZE_RANGE',
  99: 'CKR_KEY_TYPE_INCONSISTENT',
  104: 'CKR_KEY_FUNCTION_NOT_PERMITTED',
  112: 'CKR_MECHANISM_INVALID',
  113: 'CKR_MECHANISM_PARAM_INVALID',
  130: 'CKR_OBJECT_HANDLE_INVALID',
  145: 'CKR_OPERATION_NOT_INITIALIZED',
  160: 'CKR_PIN_INCORRECT',
  161: 'CKR_PIN_INVALID',
  162: 'CKR_PIN_LEN_RANGE',
  163: 'CKR_PIN_EXPIRED',
  164: 'CKR_PIN_LOCKED',
  176: 'CKR_SESSION_CLOSED',
  177: 'CKR_SESSION_COUNT',
  179: 'CKR_SESSION_HANDLE_INVALID',
  224: 'CKR_TOKEN_NOT_PRESENT',
  225: 'CKR_TOKEN_NOT_RECOGNIZED',
  256: 'CKR_USER_ALREADY_LOGGED_IN',
  257: 'CKR_USER_NOT_LOGGED_IN',
  258: 'CKR_USER_PIN_NOT_INITIALIZED',
  400: 'CKR_CRYPTOKI_NOT_INITIALIZED',
}

function nameOf(code: number): string {
  return NAMES[code] ?? `the error 0x${code.toString(16)}`
}

/** Errors after which a new session can succeed: the device was reset, replaced or reconnected. */
const LOST = new Set([0x32, 0x60, 0x82, 0xb0, 0xb3, 0xe0, 0x101, 0x190])

export function isLostSession(error: unknown): boolean {
  if (error instanceof ModuleUnavailableError) return error.ended
  return error instanceof ModuleFunctionError && LOST.has(error.code)
}
