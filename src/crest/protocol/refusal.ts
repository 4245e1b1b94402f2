import type { JsonValue } from '#json'

/** Refusal of a provider: a status from the spec's table, and the reason. */
export class Refusal {
  readonly status: number
  readonly message: string
  readonly detail: JsonValue | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    more: { detail?: JsonValue; headers?: Readonly<Record<string, string>> } = {},
  ) {
    this.status = status
    this.message = message
    this.detail = more.detail
    this.headers = more.headers ?? {}
  }
}

/** Result of a provider, or a refusal. An exception is a fault of the server. */
export type Outcome<T> = Promise<T | Refusal>

/** An invalid request; caught by the dispatcher. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly refusal: Refusal

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.refusal = new Refusal(status, message, { headers })
  }
}
