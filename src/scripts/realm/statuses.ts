import type { HostMessages } from '../host-messages.ts'

/** The class of statuses. */
interface RealmStatuses {
  readonly Status: { of(code: number, reason: string): object; codeOf(value: unknown): number }
}

/** Runs inside the realm, see `realmValues`. */
export function realmStatuses(host: HostMessages): RealmStatuses {
  const known = new Map<number, Status>()

  /** There is one object for each code, so that statuses can be compared with `===`. */
  class Status {
    readonly code: number
    readonly reasonPhrase: string

    constructor(code: number, reason: string) {
      this.code = code
      this.reasonPhrase = reason
      Object.freeze(this)
    }

    static valueOf(this: unknown, code?: unknown): Status {
      return Status.of(Number(code), host.reason(Number(code)))
    }

    static of(code: number, reason: string): Status {
      const usual = known.get(code)
      if (usual?.reasonPhrase === reason) return usual
      const status = new Status(code, reason)
      if (usual === undefined && reason === host.reason(code)) known.set(code, status)
      return status
    }

    /** The code of a status; -1 for anything else. */
    static codeOf(value: unknown): number {
      return value instanceof Status ? value.code : -1
    }

    get family(): string {
      const families = ['UNKNOWN', 'INFORMATIONAL', 'SUCCESSFUL', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR']
      return families[Math.floor(this.code / 100)] ?? 'UNKNOWN'
    }

    get isInformational(): boolean {
      return this.family === 'INFORMATIONAL'
    }

    get isSuccessful(): boolean {
      return this.family === 'SUCCESSFUL'
    }

    get isRedirection(): boolean {
      return this.family === 'REDIRECTION'
    }

    get isClientError(): boolean {
      return this.family === 'CLIENT_ERROR'
    }

    get isServerError(): boolean {
      return this.family === 'SERVER_ERROR'
    }

    valueOf(): number {
      return this.code
    }

    toString(): string {
      return `${this.code} ${this.reasonPhrase}`
    }

    toJSON(): number {
      return this.code
    }
  }

  for (let at = 0; host.statusCode(at) !== 0; at += 1) {
    const code = host.statusCode(at)
    Object.defineProperty(Status, host.statusName(at), {
      value: Status.of(code, host.reason(code)),
      enumerable: true,
    })
  }
  return { Status }
}
