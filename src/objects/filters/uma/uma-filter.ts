import {
  FilterKind,
  HandlerKind,
  type ThrottlingRate,
  type UmaService,
  UmaServiceKind,
  type UmaShare,
} from '#contracts'
import { type Exchange, type Filter, type Handler, networkOf, type Response, respond } from '#http'
import type { Logger } from '#logging'
import { BucketTable } from '#resilience'
import { type Clock, config, defineType, ref, string } from '#schema'
import { ProtectionApi } from '../../lib/am/protection-api.ts'
import { recordDenied, recordFailed, recordGranted } from '../../lib/audit/decisions.ts'
import { checkRate, rateField } from '../../lib/limits/rate-fields.ts'
import { credentialsIn } from '../../lib/tokens/credentials.ts'
import { EVENTS } from '../log-events.ts'

/** Protects shared resources by UMA. */
export const UmaFilter = defineType({
  name: 'UmaFilter',
  kind: FilterKind,
  summary:
    'Passes on only requests whose requesting party token (UMA 2.0) has the permissions for the shared resource.',
  events: [EVENTS.UMA_SERVER_FAILED],
  config: {
    protectionApiHandler: ref(HandlerKind).meta({
      description: 'Sends requests to the authorization server: tokens to introspect, and permissions to request.',
    }),
    umaService: ref(UmaServiceKind).meta({ description: 'The shared resources, and their authorization server.' }),
    realm: config(string({ nonEmpty: true }))
      .default('uma')
      .meta({ description: 'Realm of challenges.' }),
    ticketRate: rateField().default({ numberOfRequests: 600, duration: '1 minute' }).meta({
      description:
        'Tickets that requests of one client address (of a /64 with IPv6) cause at the authorization server; further requests without the permissions get 429.',
    }),
  },
  check: ({ ticketRate }, report) => checkRate(ticketRate, '/ticketRate', report),
  create: async ({ protectionApiHandler, umaService, realm, ticketRate }, env) => {
    const { logger, clock } = env
    const tickets = new BucketTable(await env.shared('tickets', BucketTable.bytes(ADDRESSES)), ADDRESSES, clock)
    return protect({ handler: protectionApiHandler, service: umaService, realm, tickets, ticketRate, logger, clock })
  },
})

/** Client addresses with a count of their own; further ones share one. */
const ADDRESSES = { maxPartitions: 10_000 }

interface Protection {
  readonly handler: Handler
  readonly service: UmaService
  readonly realm: string
  readonly tickets: BucketTable
  readonly ticketRate: ThrottlingRate
  readonly logger: Logger
  readonly clock: Clock
}

/** Why a request gets a ticket; null for one without a token. */
type Refusal = 'invalid_token' | 'insufficient_scope' | null

const NO_STORE = { 'Cache-Control': 'no-store' }
/** UMA 2.0 Grant section 3.2.2: no ticket could be requested. */
const UNREACHABLE = { ...NO_STORE, Warning: '199 - "UMA Authorization Server Unreachable"' }

function protect(protection: Protection): Filter {
  const { service, logger } = protection
  return async (exchange, next) => {
    const share = await service.findShare(exchange.request.uri.path)
    if (share === null) {
      recordDenied(exchange, logger, 'the path is not shared')
      return respond(404, NO_STORE)
    }
    const required = await service.requiredScopes(share, exchange)
    if (required.size === 0) {
      recordDenied(exchange, logger, 'the request is of no action of the resource')
      return respond(403, NO_STORE)
    }
    const credentials = credentialsIn(exchange.request.headers, ['Bearer'])
    if (credentials.found === 'malformed') {
      recordDenied(exchange, logger, credentials.description)
      return respond(400, NO_STORE, credentials.description)
    }
    try {
      const api = new ProtectionApi(protection.handler, await service.endpoints())
      const token = credentials.found === 'token' ? credentials.token : null
      const refusal =
        token === null && credentials.found === 'nothing'
          ? null
          : await check(protection, api, token, share, required, exchange)
      if (refusal !== 'granted') return await challenge(protection, api, share, required, refusal, exchange)
    } catch (error) {
      return unreachable(error, exchange, logger)
    }
    recordGranted(exchange, logger, 'the requesting party token has the permissions')
    return next(exchange)
  }
}

/** Null token: one that is too long to be one. */
async function check(
  { clock }: Protection,
  api: ProtectionApi,
  token: string | null,
  share: UmaShare,
  required: ReadonlySet<string>,
  exchange: Exchange,
): Promise<'granted' | NonNullable<Refusal>> {
  const scopes = token === null ? null : await api.scopes(token, share, clock.now(), exchange)
  if (scopes === null) return 'invalid_token'
  return required.isSubsetOf(scopes) ? 'granted' : 'insufficient_scope'
}

/** 401 with a ticket, for which the client gets a token at the authorization server; 429 where its address gets too many. */
async function challenge(
  { service, realm, tickets, ticketRate, logger }: Protection,
  api: ProtectionApi,
  share: UmaShare,
  required: ReadonlySet<string>,
  refusal: Refusal,
  exchange: Exchange,
): Promise<Response> {
  const { admitted, nextAfter } = tickets.take(networkOf(exchange.client.remoteAddress), ticketRate)
  if (!admitted) {
    recordDenied(exchange, logger, 'too many tickets for the client address')
    return respond(429, { ...NO_STORE, 'Retry-After': String(Math.max(1, Math.ceil(nextAfter / 1_000))) })
  }
  const ticket = await api.ticket(share, required, exchange)
  const { server } = await service.endpoints()
  const parameters = [`realm=${quoted(realm)}`, `as_uri=${quoted(server)}`, `ticket="${ticket}"`]
  if (refusal !== null) parameters.push(`error="${refusal}"`)
  recordDenied(exchange, logger, REASONS[refusal ?? 'none'])
  return respond(401, { ...NO_STORE, 'WWW-Authenticate': `UMA ${parameters.join(', ')}` })
}

const REASONS = {
  none: 'no requesting party token',
  invalid_token: 'the requesting party token is not active',
  insufficient_scope: 'the requesting party token lacks a permission',
} as const

function unreachable(error: unknown, exchange: Exchange, logger: Logger): Response {
  logger.limited().error({ error, ...exchange.ids }, EVENTS.UMA_SERVER_FAILED)
  recordFailed(exchange, logger, 'the authorization server for UMA failed')
  return respond(403, UNREACHABLE)
}

/** A quoted-string of RFC 9110 section 5.6.4. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
