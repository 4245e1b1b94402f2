/** A server with a base URL: a development access manager. */
interface Addressed {
  readonly url: string
}

/** A complete response. */
export interface ManagerResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text as JSON; empty where it is not an object. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Headers and body of a request. */
export interface RequestContent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Name and password of the default agent of a development access manager. */
export const AGENT = ['ig_agent', 'password'] as const

/** Sends a request to a path below the base address. */
export async function sendRequest(
  manager: Addressed,
  method: string,
  path: string,
  content: RequestContent = {},
): Promise<ManagerResponse> {
  const response = await fetch(manager.url + path, { method, redirect: 'manual', ...content })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

/** A form, with further headers. */
export function form(
  fields: Readonly<Record<string, string>>,
  headers: RequestContent['headers'] = {},
): RequestContent {
  const body = new URLSearchParams(fields).toString()
  return { body, headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers } }
}

/** Credentials in the form of RFC 7617. */
export function basic(name: string, password: string): { Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }
}

/** Logs a user in by headers. */
export function login(manager: Addressed, name: string, password: string, query = ''): Promise<ManagerResponse> {
  return sendRequest(manager, 'POST', `/json/realms/root/authenticate${query}`, {
    headers: { 'X-OpenAM-Username': name, 'X-OpenAM-Password': password, 'Content-Type': 'application/json' },
    body: '{}',
  })
}

/** Logs the agent in; returns its session token, from the body or from the cookie. */
export async function agentToken(manager: Addressed): Promise<string> {
  const { body, headers } = await login(manager, ...AGENT, '?authIndexType=module&authIndexValue=Application')
  const [cookie = ''] = headers.getSetCookie()
  return (body['tokenId'] as string | undefined) ?? cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'))
}

function parsed(text: string): ManagerResponse['body'] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
