import { type Exchange, pageResponse, type Response } from '#http'

/** A login that failed, for its page. */
interface LoginFailure {
  /** 400 and 403 for the browser, 500 for the gateway, 503 for the provider. */
  readonly status: number
  /** Instead of the text of the status; never from the request. */
  readonly text?: string
  /** Error code, such as `access_denied`. */
  readonly error: string
  /** URL of a new login. */
  readonly again: string
}

const TEXTS: Readonly<Record<number, string>> = {
  400: 'This login can not be completed: it is over, was begun in another browser, or waited for too long.',
  403: 'The login was refused.',
  500: 'The login failed.',
  503: 'The login is not available at the moment. Try again in a few seconds.',
}

/** The page for a failed login. It shows fixed texts only, none from the URL. */
export function loginFailurePage(exchange: Exchange, { status, text, error, again }: LoginFailure): Response {
  const code = /^[a-z_]{1,60}$/.test(error) ? error : 'server_error'
  const response = pageResponse(status, {
    title: status === 503 ? 'Please try again' : 'Not logged in',
    text: text ?? TEXTS[status] ?? '',
    link: { href: again, label: 'Log in again' },
    transactionId: exchange.transactionId.value,
    code,
  })
  if (status === 503) response.headers.set('Retry-After', '5')
  return response
}
