import { decodedName, isSecretParameter, redacted } from '#logging'

/** A resource URI for the log: values of query parameters with names of credentials are masked. */
export function loggedResource(resource: string): string {
  const at = resource.indexOf('?')
  if (at < 0) return resource
  const pairs = resource.slice(at + 1).split('&')
  return `${resource.slice(0, at)}?${pairs.map(loggedPair).join('&')}`
}

function loggedPair(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  return pair !== name && isSecretParameter(decodedName(name)) ? `${name}=${redacted}` : pair
}
