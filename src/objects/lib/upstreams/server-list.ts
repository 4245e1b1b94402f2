import { Uri } from '#http'
import { Deferred, type Field, field, type JsonSchema, list, type SettleContext } from '#schema'
import type { UpstreamSettings } from './balanced-upstream.ts'
import { checkServers, serverUrl } from './server-fields.ts'

/** A list of URLs in place of one, as the settings of a service. */
export interface ServerList extends UpstreamSettings {
  readonly first: Uri
}

/** A list of the URLs of servers, or what the other field takes. */
export function serverListOr<T>(single: Field<Deferred<T>>): Field<Deferred<T | ServerList>> {
  const url = serverUrl()
  const many = list(url, { nonEmpty: true })
  const schema = (render: (inner: Field) => JsonSchema): JsonSchema => {
    const { anyOf, ...one } = single.info.shape.schema(render)
    return { anyOf: [...((anyOf as JsonSchema[] | undefined) ?? [one]), render(many)] }
  }
  return field({ label: `${single.info.shape.label}, or a list of URLs`, schema }, (value, report) => {
    if (!Array.isArray(value)) return single.decode(value, report)
    if (value.length === 0) report('expected at least one URL, got none')
    const urls = value.map((each, position) => url.decode(each, (message) => report(message, [position])))
    if (urls.length === 0 || urls.includes(undefined)) return undefined
    const servers = urls.map((each) => ({ url: each as string, weight: 1, priority: 0 }))
    let isValid = true
    checkServers(
      servers,
      (position) => `${position}`,
      (position, message) => {
        isValid = false
        report(message, [Number(position)])
      },
    )
    return isValid ? new ServerListValue(servers) : undefined
  }) as Field<Deferred<T | ServerList>>
}

class ServerListValue extends Deferred<ServerList> {
  readonly #servers: ServerList['servers']

  constructor(servers: ServerList['servers']) {
    super()
    this.#servers = servers
  }

  settle(_context: SettleContext, _pointer: string): ServerList {
    return {
      servers: this.#servers,
      first: Uri.parse(this.#servers[0]!.url),
      discovery: null,
      healthCheck: null,
      policy: 'roundRobin',
      hashOn: null,
      panicThreshold: 50,
      slowStart: 0,
      sticky: null,
      outliers: null,
    }
  }
}
