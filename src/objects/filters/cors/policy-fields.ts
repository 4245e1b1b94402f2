import { byShape, config, type Field, field, list } from '#schema'
import { normalOrigin } from './origin.ts'

/** `"*"`, or an array of `item`; `"*"` may also be an element. */
export function anyOrSome(item: Field<string>, what: string) {
  const any = field({ label: '"*"', schema: () => ({ const: '*' }) }, (value, report) => {
    if (value !== '*') report(`expected "*" or an array of ${what}, got ${JSON.stringify(value)}`)
    return value as '*'
  })
  return byShape({ string: any, array: list(config(item)) })
}

/** An origin in normal form, or `"*"`. */
export function origin(): Field<string> {
  return field({ label: 'an origin', schema: () => ({ type: 'string' }) }, (value, report) => {
    if (value === '*') return value
    const normal = typeof value === 'string' ? normalOrigin(value) : null
    if (normal === null) report(`expected an origin such as "https://app.example.com", ${remark(value)}`)
    return normal as string
  })
}

function remark(value: unknown): string {
  const got = `got ${JSON.stringify(value)}`
  if (value === 'null') return `${got}: any page in a sandbox has that origin`
  if (typeof value !== 'string') return got
  if (value.includes('*')) return `${got}: a part of an origin can not be "*"; list the origins`
  return /^[^:]+:\/\/[^/]+\/$/.test(value) ? `${got}: leave the final "/" out` : got
}
