import { type Action, contentRevision, Refusal, type Singleton } from '#crest'
import { isPlainObject, type JsonObject } from '#json'
import { recordChange } from '../audit/change-recorder.ts'
import type { UpstreamServices } from '../upstreams/upstream-services.ts'

/** Name of the endpoint in paths. */
export const UPSTREAM = 'upstream'

const SERVER = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    weight: { type: 'integer' },
    priority: { type: 'integer' },
    state: { type: 'string', enum: ['healthy', 'unhealthy', 'ejected', 'draining', 'unknown'] },
    reason: { type: 'string' },
    since: { type: 'string', format: 'date-time' },
    active: { type: 'integer', description: 'Requests in flight, of all units.' },
  },
}
const SCHEMA = { type: 'object', properties: { servers: { type: 'array', items: SERVER } } }
const REQUEST = {
  type: 'object',
  required: ['server'],
  properties: { server: { type: 'string', description: 'URL of the server, as `servers` has it.' } },
}
const ACTIONS = {
  drain: 'Sends no new requests to a server; those in flight end.',
  eject: 'Sends no requests to a server until it is enabled.',
  enable: 'Sends requests to a server again, and ends its ejection.',
} as const

/** The states of the servers of one UpstreamService, by the qualified name of the object. */
export function upstreamEndpoint(services: UpstreamServices, object: string): Singleton {
  const read = () =>
    services.serversOf(object) ?? new Refusal(404, 'there is no UpstreamService of this name that is served')
  const action = (name: keyof typeof ACTIONS): Action => ({
    description: ACTIONS[name],
    request: REQUEST,
    response: SCHEMA,
    run: async ({ exchange }, { body }) => {
      const url = isPlainObject(body) ? (body as JsonObject)['server'] : undefined
      if (typeof url !== 'string') return new Refusal(400, 'server: expected the URL of a server, as servers has it')
      const before = read()
      if (before instanceof Refusal) return before
      if (!services.change(object, url, name))
        return new Refusal(404, `there is no server ${url} in this UpstreamService`)
      const after = read()
      if (after instanceof Refusal) return after
      const stateOf = (content: JsonObject) => ({ revision: contentRevision(content), content })
      recordChange(exchange, { id: object, before: stateOf(before), after: stateOf(after) })
      return after
    },
  })
  return {
    kind: 'singleton',
    description: {
      id: 'gateway:upstream',
      title: 'Servers of an UpstreamService',
      description:
        'States of the servers, each with its reason. Actions take a server out or back in, until the gateway ends.',
      version: '1.0',
      schema: SCHEMA,
      revisions: false,
    },
    read: async () => {
      const content = read()
      return content instanceof Refusal ? content : { id: UPSTREAM, revision: null, content }
    },
    actions: { drain: action('drain'), eject: action('eject'), enable: action('enable') },
  }
}
