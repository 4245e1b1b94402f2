import { createHmac } from 'node:crypto'
import { secretsProvider } from '#contracts'
import type { Exchange, Response } from '#http'
import {
  ConfigError,
  config,
  type DecodedMembers,
  duration,
  type Environment,
  object,
  type Settled,
  secretId,
  token,
} from '#schema'
import type { Balancer, UpstreamServer } from '#upstreams'

const FIELDS = {
  cookie: config(token('the name of a cookie')).default('gw_server').meta({ description: 'Name of the cookie.' }),
  maxAge: config(duration({ unlimited: false }))
    .default('zero')
    .meta({ description: 'Time for which browsers keep the cookie; zero: until they are closed.' }),
  secretId: config(secretId()).optional().meta({
    description:
      'Secret ID of the key of the cookies, a `GenericSecret`. Without it cookies do not hold over a restart of the gateway.',
  }),
  secretsProvider: secretsProvider('the key'),
}

/** The field `sticky`. */
export const STICKY_FIELD = object(FIELDS).optional().meta({
  description: 'Sends requests of a browser to the same server, by a cookie, as long as the server is usable.',
})

export type StickyValues = Settled<DecodedMembers<typeof FIELDS>>

/** Characters of an id: 132 bits. */
const ID_LENGTH = 22

/** Cookies that name the server of a browser by an id which only this service can make, and which says nothing of its address. */
export class Sticky {
  readonly #name: string
  readonly #maxAge: number
  readonly #key: Buffer
  readonly #balancer: Balancer
  #servers: readonly UpstreamServer[] = []
  #byId = new Map<string, UpstreamServer>()
  readonly #ids = new Map<string, string>()

  constructor({ cookie, maxAge }: Pick<StickyValues, 'cookie' | 'maxAge'>, key: Buffer, balancer: Balancer) {
    this.#name = cookie
    this.#maxAge = Math.floor(maxAge / 1_000)
    this.#key = key
    this.#balancer = balancer
  }

  /** The server that the cookie of a request names; null without one, or where it left the service. */
  serverOf({ request }: Exchange): UpstreamServer | null {
    const id = request.cookies[this.#name]?.[0]?.value
    if (id === undefined) return null
    const { servers } = this.#balancer
    if (servers !== this.#servers) {
      this.#servers = servers
      this.#byId = new Map(servers.map((server) => [this.#idOf(server), server]))
    }
    return this.#byId.get(id) ?? null
  }

  /** Sets the cookie where the request came with another one. */
  remember(server: UpstreamServer, { request, originalUri }: Exchange, response: Response): void {
    const id = this.#idOf(server)
    if (request.cookies[this.#name]?.[0]?.value === id) return
    const age = this.#maxAge === 0 ? '' : `; Max-Age=${this.#maxAge}`
    const secure = originalUri.scheme === 'https' ? '; Secure' : ''
    response.headers.add('Set-Cookie', `${this.#name}=${id}; Path=/${age}; HttpOnly; SameSite=Lax${secure}`)
  }

  #idOf({ url }: UpstreamServer): string {
    const known = this.#ids.get(url)
    if (known !== undefined) return known
    const id = createHmac('sha256', this.#key).update(url).digest('base64url').slice(0, ID_LENGTH)
    this.#ids.set(url, id)
    return id
  }
}

/** The configured key; null where each start of the gateway has another one. */
export async function stickyKey({ secretId, secretsProvider }: StickyValues, env: Environment): Promise<Buffer | null> {
  if (secretId === undefined) {
    env.warn('without secretId the cookies of sticky do not hold over a restart of the gateway', '/sticky')
    return null
  }
  try {
    return (await secretsProvider.active({ secretId, purpose: 'GENERIC' })).revealBytes()
  } catch (error) {
    throw new ConfigError([{ pointer: '/sticky/secretId', message: (error as Error).message }], { cause: error })
  }
}
