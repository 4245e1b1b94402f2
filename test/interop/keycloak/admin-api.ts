/** The admin REST API of a Keycloak, as its bootstrap administrator. */
export class AdminApi {
  readonly #url: string
  #token = ''
  /** Tokens of `admin-cli` live for a minute. */
  #validUntil = 0

  constructor(url: string) {
    this.#url = url
  }

  get<T>(path: string): Promise<T> {
    return this.#call('GET', path) as Promise<T>
  }

  /** Creates something; its id is the end of the Location. */
  post(path: string, body: unknown = {}): Promise<unknown> {
    return this.#call('POST', path, body)
  }

  put(path: string, body: unknown): Promise<unknown> {
    return this.#call('PUT', path, body)
  }

  delete(path: string): Promise<unknown> {
    return this.#call('DELETE', path)
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.#url}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${await this.#accessToken()}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    if (text !== '') return JSON.parse(text)
    return answer.headers.get('location')?.split('/').at(-1)
  }

  async #accessToken(): Promise<string> {
    if (Date.now() < this.#validUntil) return this.#token
    const form = new URLSearchParams({
      grant_type: 'password',
      client_id: 'admin-cli',
      username: 'admin',
      password: 'admin',
    })
    const answer = await fetch(`${this.#url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: form,
    })
    if (!answer.ok) throw new Error(`no token of the administrator: ${answer.status} ${await answer.text()}`)
    const { access_token: token } = (await answer.json()) as { access_token: string }
    ;[this.#token, this.#validUntil] = [token, Date.now() + 30_000]
    return token
  }
}
