import { CONDITION_EVENTS, FilterKind, HandlerKind, matches, type RequestCondition } from '#contracts'
import { Body, type Exchange, type Filter, type Handler, internalCall, internalExchange, Request } from '#http'
import {
  boolean,
  booleanCondition,
  config,
  defineType,
  type Environment,
  integer,
  list,
  number,
  ref,
  string,
} from '#schema'

/** Copies in flight of one filter and unit; further ones are dropped. */
const MAX_RUNNING = 128
/** Milliseconds after which a copy is aborted. */
const TIMEOUT = 30_000
/** Fields with credentials of the client, or of the gateway for the application. */
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization']

/** Sends copies of requests to another handler, and ignores its responses. */
export const MirrorFilter = defineType({
  name: 'MirrorFilter',
  kind: FilterKind,
  summary: 'Sends copies of requests to another handler, whose responses are ignored.',
  metrics: ['gw_mirror_dropped_total', 'gw_mirror_failed_total', 'gw_mirror_sent_total'],
  events: [CONDITION_EVENTS.FAILED],
  config: {
    handler: ref(HandlerKind).meta({
      description: 'Handler of the copies, such as a ClientHandler with a baseURI of its own.',
    }),
    sample: config(number({ min: 0, max: 1 }))
      .default(1)
      .meta({ description: 'Share of the requests that are copied.' }),
    when: booleanCondition().optional().meta({ description: 'Requests that are copied; all by default.' }),
    methods: list(config(string({ nonEmpty: true })))
      .default(['GET', 'HEAD'])
      .meta({ description: 'Methods of requests that are copied. Others may change data twice.' }),
    maxBody: config(integer({ min: 0, max: 2 ** 30 }))
      .default(1_048_576)
      .meta({
        description:
          'Bytes of a request body that is copied; requests with a longer one, or without Content-Length, are not.',
      }),
    forwardCredentials: config(boolean()).default(false).meta({
      description: 'Whether copies have Authorization, Cookie and Proxy-Authorization of the request.',
    }),
  },
  create: (values, env) => mirror(values, env),
})

interface MirrorSettings {
  readonly handler: Handler
  readonly sample: number
  readonly when?: RequestCondition | undefined
  readonly methods: readonly string[]
  readonly maxBody: number
  readonly forwardCredentials: boolean
}

function mirror(
  { handler, sample, when, methods, maxBody, forwardCredentials }: MirrorSettings,
  env: Environment,
): Filter {
  const counter = (name: string, help: string) => env.metrics.counter(name, help, { name: env.localName })
  const sent = counter('gw_mirror_sent_total', 'Copies that were sent.')
  const dropped = counter(
    'gw_mirror_dropped_total',
    'Requests that were not copied: too many copies in flight, or a body that is too long.',
  )
  const failed = counter('gw_mirror_failed_total', 'Copies without a response.')
  const withheld = forwardCredentials ? [] : CREDENTIALS
  let running = 0

  const send = async (copy: Request, exchange: Exchange): Promise<void> => {
    running++
    sent.add()
    try {
      const limits = { timeout: TIMEOUT, maxBytes: 0, wantsBody: () => false }
      await internalCall(handler, internalExchange(copy, exchange), limits)
    } catch {
      failed.add()
    } finally {
      running--
    }
  }

  return async (exchange, next) => {
    const { request } = exchange
    if (!methods.includes(request.method) || Math.random() >= sample) return next(exchange)
    if (when !== undefined && !(await matches(when, exchange, null, env.logger))) return next(exchange)
    const { body } = request
    if (running >= MAX_RUNNING || body.length === null || body.length > maxBody) {
      dropped.add()
      return next(exchange)
    }
    const bytes = body.isEmpty ? null : await body.read(maxBody)
    void send(copyOf(request, bytes, withheld), exchange)
    return next(exchange)
  }
}

/** Its body is another one than that of the request, so that neither waits for the other. */
function copyOf(
  { method, uri, headers, version }: Request,
  bytes: Uint8Array | null,
  withheld: readonly string[],
): Request {
  const copied = headers.clone()
  for (const name of withheld) copied.delete(name)
  return new Request({
    method,
    uri: uri.clone(),
    headers: copied,
    version,
    body: bytes === null ? Body.empty : Body.of(bytes),
  })
}
