import { STATUS_CODES } from 'node:http'
import { type Exposure, exposed } from '#expression'

/** The usual reason phrase of a status code, or an empty one. */
export function reasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? ''
}

/** The class of a status code (RFC 9110 section 15). */
export type StatusFamily = 'INFORMATIONAL' | 'SUCCESSFUL' | 'REDIRECTION' | 'CLIENT_ERROR' | 'SERVER_ERROR' | 'UNKNOWN'

const FAMILIES: readonly StatusFamily[] = [
  'UNKNOWN',
  'INFORMATIONAL',
  'SUCCESSFUL',
  'REDIRECTION',
  'CLIENT_ERROR',
  'SERVER_ERROR',
]

/** The family of a status code; below 100 and from 600 up it is unknown. */
export function statusFamily(status: number): StatusFamily {
  return FAMILIES[Math.floor(status / 100)] ?? 'UNKNOWN'
}

/** A status in expressions: an object with members that is also a number. */
export class Status {
  readonly code: number
  readonly reasonPhrase: string

  constructor(code: number, reason: string) {
    this.code = code
    this.reasonPhrase = reason
  }

  get family(): StatusFamily {
    return statusFamily(this.code)
  }

  get [exposed](): Exposure<Status> {
    return EXPOSURE
  }
}

const is = (family: StatusFamily) => (self: Status) => self.family === family

const FAMILY_TESTS = {
  isInformational: is('INFORMATIONAL'),
  isSuccessful: is('SUCCESSFUL'),
  isRedirection: is('REDIRECTION'),
  isClientError: is('CLIENT_ERROR'),
  isServerError: is('SERVER_ERROR'),
}

const EXPOSURE: Exposure<Status> = {
  kind: 'status',
  value: (self) => self.code,
  get: {
    code: (self) => self.code,
    reasonPhrase: (self) => self.reasonPhrase,
    family: (self) => self.family,
    ...FAMILY_TESTS,
  },
  call: { ...FAMILY_TESTS, toString: (self: Status) => String(self.code) },
}
