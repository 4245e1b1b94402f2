import { CONDITION_EVENTS, FilterKind, HandlerKind, matches, type RequestCondition } from '#contracts'
import { clientSubject } from '#expression'
import { type Exchange, type Filter, type Handler, respond } from '#http'
import type { Logger } from '#logging'
import {
  atLeastOneOf,
  byShape,
  condition,
  config,
  defineType,
  list,
  listOrOne,
  object,
  type Runtime,
  ref,
  runtime,
  string,
} from '#schema'
import { recordDenied, recordGranted } from '../../lib/audit/decisions.ts'
import { EVENTS } from '../log-events.ts'
import { type AddressBlock, addressBlock, addressIn } from './address-block.ts'
import { type PortTest, portRange, type TextTest, wholePattern } from './rule-fields.ts'

const blocks = () => list(config(addressBlock()), { nonEmpty: true })

const origin = object(
  {
    ip: byShape({
      object: object({
        list: blocks().meta({ description: 'IP addresses and blocks in CIDR notation; one must contain the address.' }),
        resolver: runtime('string').optional().meta({
          description:
            'Address to compare; by default that of the client: the peer, or the address that a trusted proxy sends.',
        }),
      }),
      array: blocks(),
    })
      .optional()
      .meta({ description: 'Allowed client addresses: `{ "list", "resolver" }`, or the list alone.' }),
    certificate: object({
      subjectDNs: list(config(wholePattern()), { nonEmpty: true }).meta({
        description: 'Regular expressions; one must match the whole subject of the client certificate.',
      }),
    })
      .optional()
      .meta({ description: 'Allowed client certificates.' }),
  },
  { rules: [atLeastOneOf('ip', 'certificate')] },
)

const destination = object(
  {
    hosts: list(config(wholePattern('i')), { nonEmpty: true })
      .optional()
      .meta({ description: 'Regular expressions; one must match the whole host, case-insensitively.' }),
    ports: list(config(portRange()), { nonEmpty: true })
      .optional()
      .meta({ description: 'Ports such as `"80"` and ranges such as `"8000:8999"`.' }),
    methods: list(config(string({ nonEmpty: true })), { nonEmpty: true })
      .optional()
      .meta({ description: 'Methods, case-sensitive.' }),
    paths: list(config(wholePattern()), { nonEmpty: true })
      .optional()
      .meta({ description: 'Regular expressions; one must match the whole path.' }),
  },
  { rules: [atLeastOneOf('hosts', 'ports', 'methods', 'paths')] },
)

const rule = object(
  {
    name: config(string()).optional().meta({ description: 'Name for the log.' }),
    from: listOrOne(origin).optional().meta({ description: 'Allowed origins of requests; one entry must match.' }),
    destination: listOrOne(destination)
      .optional()
      .meta({ description: 'Allowed destinations of requests; one entry must match.' }),
    when: condition().optional().meta({ description: 'Condition that must be true.' }),
  },
  { rules: [atLeastOneOf('from', 'destination', 'when')] },
)

/** Passes on only requests that match a rule. */
export const AllowOnlyFilter = defineType({
  name: 'AllowOnlyFilter',
  kind: FilterKind,
  summary: 'Admits requests by rules on client address, certificate, destination and conditions.',
  diverts: { failureHandler: [] },
  events: [EVENTS.RESOLVER_FAILED, CONDITION_EVENTS.FAILED],
  config: {
    rules: list(rule, { nonEmpty: true }).meta({ description: 'Rules; one must match.' }),
    failureHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Handles requests that no rule allows; 401 without content by default.' }),
  },
  check: ({ rules }, _report, warn) => {
    const paths = rules.flatMap(({ destination = [] }) => destination.flatMap(({ paths = [] }) => paths))
    for (const { source } of paths) if (isWildcard(source)) warn(wildcardWarning(source))
  },
  create: ({ rules, failureHandler }, env) => {
    const allowed = rules.map(({ name, from, destination, when }, at) => ({
      name: name ?? `rule ${at + 1}`,
      from: from?.map(({ ip, certificate }) => originTest(ip, certificate?.subjectDNs, env.logger)) ?? null,
      destination: destination?.map(destinationTest) ?? null,
      when: when ?? null,
    }))
    return allowOnly(allowed, failureHandler ?? refuse, env.logger)
  },
})

/** Whether a path ends like a shell wildcard, `/*`, which as a regular expression repeats the slash. */
function isWildcard(path: string): boolean {
  return path.endsWith('/*')
}

function wildcardWarning(path: string): string {
  const above = path.slice(0, -2)
  const admitted = above === '' ? 'only slashes' : `only ${JSON.stringify(above)} and slashes behind it`
  return `the path ${JSON.stringify(path)} is a regular expression and allows ${admitted}; for everything below write ${JSON.stringify(`${above}/.*`)}`
}

const refuse: Handler = async () => respond(401)

type OriginTest = (exchange: Exchange) => boolean | Promise<boolean>
type DestinationTest = (exchange: Exchange) => boolean

interface Rule {
  readonly name: string
  readonly from: readonly OriginTest[] | null
  readonly destination: readonly DestinationTest[] | null
  readonly when: RequestCondition | null
}

/** One matching rule is enough. A condition or resolver that fails does not match. */
function allowOnly(rules: readonly Rule[], otherwise: Handler, logger: Logger): Filter {
  return async (exchange, next) => {
    for (const rule of rules) {
      if (!(await holds(rule, exchange, logger))) continue
      if (logger.isEnabled('debug')) logger.debug({ rule: rule.name }, 'the rule allows the request')
      recordGranted(exchange, logger, 'a rule allows the request', { rule: rule.name })
      return next(exchange)
    }
    recordDenied(exchange, logger, 'no rule allows the request')
    return otherwise(exchange)
  }
}

async function holds({ from, destination, when }: Rule, exchange: Exchange, logger: Logger): Promise<boolean> {
  if (destination !== null && !destination.some((test) => test(exchange))) return false
  if (from !== null && !(await anyOf(from, exchange))) return false
  return when === null || matches(when, exchange, null, logger)
}

async function anyOf(tests: readonly OriginTest[], exchange: Exchange): Promise<boolean> {
  for (const test of tests) if (await test(exchange)) return true
  return false
}

type Addresses = readonly AddressBlock[] | { readonly list: readonly AddressBlock[]; readonly resolver?: Resolver }
type Resolver = Runtime<string> | undefined

function originTest(ip: Addresses | undefined, subjects: readonly TextTest[] | undefined, logger: Logger): OriginTest {
  const fromAddress = ip === undefined ? () => true : addressTest(ip, logger)
  const hasSubject = (exchange: Exchange) => {
    if (subjects === undefined) return true
    const subject = clientSubject(exchange.client.certificates)
    return subject !== null && subjects.some((test) => test(subject))
  }
  return (exchange) => hasSubject(exchange) && fromAddress(exchange)
}

function addressTest(ip: Addresses, logger: Logger): OriginTest {
  const { list, resolver } = 'list' in ip ? ip : { list: ip, resolver: undefined }
  const isListed = addressIn(list)
  if (resolver === undefined) return ({ client }) => isListed(client.remoteAddress)
  return async (exchange) => {
    try {
      const address = await resolver(exchange)
      return address !== null && isListed(address.trim())
    } catch (error) {
      const { source } = resolver.expression
      logger.limited(source).warn({ error, resolver: source }, EVENTS.RESOLVER_FAILED)
      return false
    }
  }
}

interface Destination {
  readonly hosts?: readonly TextTest[] | undefined
  readonly ports?: readonly PortTest[] | undefined
  readonly methods?: readonly string[] | undefined
  readonly paths?: readonly TextTest[] | undefined
}

/** Matches the request in the form in which it is sent upstream (threats B1). */
function destinationTest({ hosts, ports, methods, paths }: Destination): DestinationTest {
  return ({ request: { method, uri } }) =>
    (methods === undefined || methods.includes(method)) &&
    (ports === undefined || ports.some((test) => test(uri.effectivePort))) &&
    (hosts === undefined || hosts.some((test) => test(uri.host))) &&
    (paths === undefined || paths.some((test) => test(uri.path)))
}
