import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Another site, with pages by path, on a free loopback port. */
export class Site implements AsyncDisposable {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(pages: Readonly<Record<string, string>>): Promise<Site> {
    const server = createServer(({ url = '/' }, response) => {
      const page = Object.hasOwn(pages, url) ? pages[url] : undefined
      response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' })
      response.end(page ?? '')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Site(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
