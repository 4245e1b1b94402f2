import { redacted } from '#logging'
import { isSecretParameter } from '../secret-names.ts'

/** A resource URI for the log: values of query parameters with names of credentials are masked. */
export function loggedResource(resource: string): string {
  const at = resource.indexOf('?')
  if (at < 0) return resource
  const pairs = resource.slice(at + 1).split('&')
  return `${resource.slice(0, at)}?${pairs.map(loggedPair).join('&')}`
}

function loggedPair(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  return pair !== name && isSecretParameter(decoded(name)) ? `${name}=${redacted}` : pair
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
