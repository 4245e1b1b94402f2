import { httpUpstream, type Upstream } from '#test/upstream'

/** The protected application: responds with the request headers as JSON, and stores posted bodies. */
export class Application implements AsyncDisposable {
  readonly #posted = new Map<string, string>()
  readonly #waiting = new Map<string, (body: string) => void>()
  #server: Upstream | null = null

  static async start(): Promise<Application> {
    const application = new Application()
    application.#server = await httpUpstream(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      if (request.method === 'POST') application.#keep(request.url as string, body)
      response.end(JSON.stringify(request.headers))
    })
    return application
  }

  get url(): string {
    return (this.#server as Upstream).url
  }

  #keep(path: string, body: string): void {
    this.#posted.set(path, body)
    this.#waiting.get(path)?.(body)
  }

  /** The body posted to a path, now or within 10 seconds. */
  async until(path: string): Promise<string> {
    const posted = this.#posted.get(path)
    if (posted !== undefined) return posted
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#waiting.set(path, resolve)
    const timer = setTimeout(() => reject(new Error(`nothing was posted to ${path} within 10 s`)), 10_000)
    return promise.finally(() => clearTimeout(timer))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
  }
}
