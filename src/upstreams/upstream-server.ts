import { Uri } from '#http'

/** A server of a service, as configuration or discovery names it. */
interface ServerEntry {
  /** Scheme, host and port. */
  readonly url: string
  readonly weight: number
  /** Servers of a higher number are used while too few of a lower one are healthy. */
  readonly priority: number
}

/** A server with its place in the memory of the states. */
export interface UpstreamServer extends ServerEntry {
  readonly slot: number
  readonly uri: Uri
  /** Host and port, for explanations and log lines. */
  readonly address: string
}

/** The entries of a set with their slots, as text in shared memory. */
export function textOfSet(entries: readonly (ServerEntry & { readonly slot: number })[]): string {
  return JSON.stringify(entries.map(({ url, weight, priority, slot }) => [url, weight, priority, slot]))
}

export function setOfText(text: string): UpstreamServer[] {
  const rows = (text === '' ? [] : JSON.parse(text)) as [string, number, number, number][]
  return rows.map(([url, weight, priority, slot]) => {
    const uri = Uri.parse(url)
    return { url, weight, priority, slot, uri, address: `${uri.host}:${uri.port}` }
  })
}
