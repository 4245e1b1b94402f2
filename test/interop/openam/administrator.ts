// OpenAM's REST API as its administrator and its users call it.

/** The name of OpenAM's session cookie, and of the header field for session tokens. */
export const COOKIE = 'iPlanetDirectoryPro'

export interface RestResponse {
  readonly status: number
  readonly json: unknown
}

export class Administrator {
  readonly url: string
  readonly password: string
  #token = ''

  constructor(url: string, password: string) {
    this.url = url
    this.password = password
  }

  /** A session of the administrator, who has to log in again after a restart. */
  async logIn(): Promise<void> {
    this.#token = await this.session('amadmin', this.password)
  }

  /** Logs a user in; returns the session token. */
  async session(user: string, password: string, realm = '/', query = ''): Promise<string> {
    const { status, json } = await this.#call(`${restPath(realm)}/authenticate${query}`, 'POST', {
      'X-OpenAM-Username': user,
      'X-OpenAM-Password': password,
      'Accept-API-Version': 'protocol=1.0,resource=2.1',
    })
    const { tokenId } = json as { tokenId?: string }
    if (tokenId === undefined) throw new Error(`${user} can not log in at ${realm}: ${status} ${JSON.stringify(json)}`)
    return tokenId
  }

  /** Ends a session with its own token. */
  async logOut(token: string): Promise<void> {
    const headers = { [COOKIE]: token, 'Accept-API-Version': 'protocol=1.0,resource=2.0' }
    const { status } = await this.#call('/json/sessions/?_action=logout', 'POST', headers, {})
    if (status !== 200) throw new Error(`a session can not be logged out: ${status}`)
  }

  /** A call as the administrator that has to succeed. `path` is below the REST path of the realm. */
  async call(
    method: string,
    realm: string,
    path: string,
    body?: unknown,
    version = 'protocol=2.0,resource=1.0',
  ): Promise<unknown> {
    const { status, json } = await this.ask(method, realm, path, body, version)
    if (status >= 300) throw new Error(`${method} ${path} in ${realm}: ${status} ${JSON.stringify(json)}`)
    return json
  }

  ask(
    method: string,
    realm: string,
    path: string,
    body?: unknown,
    version = 'protocol=2.0,resource=1.0',
  ): Promise<RestResponse> {
    const headers = { [COOKIE]: this.#token, 'Accept-API-Version': version }
    return this.#call(`${restPath(realm)}/${path}`, method, headers, body)
  }

  async #call(path: string, method: string, headers: Record<string, string>, body?: unknown): Promise<RestResponse> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: method === 'GET' || method === 'DELETE' ? null : JSON.stringify(body ?? {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    })
    const text = await answer.text()
    return { status: answer.status, json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text }
  }
}

function restPath(realm: string): string {
  return realm === '/'
    ? '/json'
    : `/json${realm.replaceAll('/', '/realms/').replace('/realms/', '/realms/root/realms/')}`
}
