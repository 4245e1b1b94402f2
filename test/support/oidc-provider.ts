import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'

// The package warns on the console against use in production, which does not apply here.
for (const method of ['info', 'warn'] as const) {
  const say = console[method]
  console[method] = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider ')) say(...words)
  }
}

/** An independent authorization server, on a free loopback port. */
export class OidcProvider implements AsyncDisposable {
  readonly provider: Provider
  readonly url: string
  readonly #server: Server
  /** A proxy in front of the provider: may handle a request itself, and returns whether it did. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  private constructor(provider: Provider, url: string, server: Server) {
    this.provider = provider
    this.url = url
    this.#server = server
  }

  /** `configure` gets the URL of the server, which clients need for theirs; `host` is its own host name. */
  static async start(configure: (url: string) => Configuration, host = '127.0.0.1'): Promise<OidcProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://${host}:${(server.address() as AddressInfo).port}`
    const provider = new Provider(url, configure(url))
    const started = new OidcProvider(provider, url, server)
    const serve = provider.callback()
    server.on('request', (request, response) => {
      if (!started.intercept(request, response)) void serve(request, response)
    })
    return started
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
