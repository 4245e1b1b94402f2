import { request } from 'undici'
import { parseSetCookie } from '#http'

/** A response with its URL. */
export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The parts of a browser that a login needs: stores cookies by host, follows redirects, sends forms. */
export class BrowserLike {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** All redirects that were followed. */
  readonly trail: string[] = []

  /** One request without following redirects. */
  async ask(url: string, init: RequestInit = {}): Promise<Page> {
    const { host } = new URL(url)
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    if (cookie !== '') headers.set('cookie', cookie)
    // A navigation by default, as a browser sends for a page.
    if (!headers.has('sec-fetch-mode')) headers.set('sec-fetch-mode', 'navigate')
    const form = init.body instanceof URLSearchParams ? String(init.body) : null
    if (form !== null) headers.set('content-type', 'application/x-www-form-urlencoded')
    const { method = 'GET' } = init
    const answer = await request(url, { method: method as 'GET', headers: Object.fromEntries(headers), body: form })
    const received = new Headers()
    for (const [field, values] of Object.entries(answer.headers))
      for (const value of [values ?? []].flat()) received.append(field, value)
    for (const field of received.getSetCookie()) {
      const { name, value, maxAge, expires } = parseSetCookie(field)
      const isOver = value === '' || maxAge === 0 || (expires !== undefined && Date.parse(expires) < Date.now())
      if (isOver) jar.delete(name)
      else jar.set(name, value)
    }
    return { url, status: answer.statusCode, headers: received, text: await answer.body.text() }
  }

  /** Follows redirects to a page. */
  async open(url: string, init: RequestInit = {}): Promise<Page> {
    let page = await this.ask(url, init)
    for (let step = 0; step < 20 && page.status >= 300 && page.status < 400; step += 1) {
      const location = new URL(page.headers.get('location') as string, page.url).href
      this.trail.push(location)
      page = await this.ask(location)
    }
    return page
  }

  /** Fills in the first form of a page and sends it. */
  submit(page: Page, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const action = /<form[^>]*action="([^"]*)"/.exec(page.text)?.[1]
    if (action === undefined) throw new Error(`the page at ${page.url} has no form: ${page.text.slice(0, 500)}`)
    const hidden = [...page.text.matchAll(/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ])
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
    return this.open(new URL(action, page.url).href, { method: 'POST', body })
  }

  /** Replaces the value of a cookie; null deletes the cookie. */
  changeCookie(url: string, name: string, change: (value: string) => string | null): void {
    const jar = this.#cookies.get(new URL(url).host)
    for (const known of [...(jar?.keys() ?? [])].filter((each) => each.startsWith(name))) {
      const value = change(jar?.get(known) as string)
      if (value === null) jar?.delete(known)
      else jar?.set(known, value)
    }
  }

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).host)?.get(name)
  }
}
