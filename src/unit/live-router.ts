import type { Exchange, Handler, Response } from '#http'
import { respond } from '#http'
import type { RouteOrder, RouterSettings } from '#schema'
import type { Route } from './route.ts'
import { RouteIndex } from './route-index.ts'

/** The routes that one Router serves. A change is one assignment, so that no request sees half of it. */
export class LiveRouter {
  readonly name: string
  /** Heap path of the Router, such as `gateway+_router`; unlike the name it is unique. */
  readonly qualifiedName: string
  readonly directory: string
  readonly order: RouteOrder
  readonly #otherwise: Handler
  readonly #retiring = new Set<Promise<void>>()
  #routes: readonly Route[] = []
  #index: RouteIndex<Route> = new RouteIndex([])

  constructor(
    { name, directory, order }: Pick<RouterSettings, 'name' | 'directory' | 'order'>,
    qualifiedName: string,
    otherwise: Handler | null,
  ) {
    this.name = name
    this.qualifiedName = qualifiedName
    this.directory = directory
    this.order = order
    this.#otherwise = otherwise ?? (() => Promise.resolve(respond(404)))
  }

  get routes(): readonly Route[] {
    return this.#routes
  }

  readonly handle: Handler = (exchange) => {
    const index = this.#index
    return this.#dispatch(exchange, index, index.positions(exchange.request.uri.path), 0)
  }

  /** Adds and removes routes in one step; replaced and removed ones are retired. */
  replace(arriving: readonly Route[], leaving: ReadonlySet<string>): void {
    const replaced = new Set([...leaving, ...arriving.map(({ id }) => id)])
    const retired = this.#routes.filter(({ id }) => replaced.has(id))
    const kept = this.#routes.filter(({ id }) => !replaced.has(id))
    const routes = [...kept, ...arriving].sort(by(this.order))
    this.#index = new RouteIndex(routes)
    this.#routes = routes
    for (const route of retired) this.#retire(route)
  }

  /** Retires every route, and waits until all retired ones are disposed. */
  async close(): Promise<void> {
    this.replace([], new Set(this.#routes.map(({ id }) => id)))
    await Promise.all(this.#retiring)
  }

  #dispatch(
    exchange: Exchange,
    index: RouteIndex<Route>,
    positions: readonly number[],
    from: number,
  ): Promise<Response> {
    for (let at = from; at < positions.length; at++) {
      const route = index.at(positions[at] as number)
      const matches = route.matches(exchange)
      if (matches === true) return route.run(exchange)
      if (matches !== false) {
        return matches.then((late) => {
          // Routes may have been replaced while the body was read for the condition: match again.
          if (index !== this.#index) return this.handle(exchange)
          return late ? route.run(exchange) : this.#dispatch(exchange, index, positions, at + 1)
        })
      }
    }
    return this.#unmatched(exchange)
  }

  /** A 404 of the default handler is a decision of the router, unless a server chose it or another object made one. */
  async #unmatched(exchange: Exchange): Promise<Response> {
    const response = await this.#otherwise(exchange)
    if (response.status === 404 && !response.isReceived && exchange.audit?.decision === null)
      exchange.decided({ result: 'DENIED', by: this.qualifiedName, reason: 'no route matches' })
    return response
  }

  #retire(route: Route): void {
    const done = route.retire().finally(() => this.#retiring.delete(done))
    this.#retiring.add(done)
  }
}

/** Compared by code unit; names, and files, are unique in a router (decisions 4). */
function by(order: RouteOrder): (a: Route, b: Route) => number {
  return ({ [order]: a }, { [order]: b }) => {
    if (a === b) return 0
    return a < b ? -1 : 1
  }
}
