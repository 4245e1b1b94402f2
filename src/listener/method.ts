import { METHODS } from 'node:http'
import { isToken } from '#http'

export const MAX_METHOD = 32
const NO_LOWER_CASE = /^[A-Z][^a-z]*$/

/** Whether a method is well-formed: a token, as registered methods are spelt. */
export function isMethod(text: string): boolean {
  return NO_LOWER_CASE.test(text) && isToken(text, MAX_METHOD)
}

// METHODS has SOURCE, of Icecast, too.
const httpMethods: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'SOURCE'))

/** Whether a method is served in HTTP/1.1. */
export function isKnownMethod(method: string): boolean {
  return httpMethods.has(method)
}
