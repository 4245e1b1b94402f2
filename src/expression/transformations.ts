import { isPlainObject, JsonNumber, numberValue, parseJson } from '#json'
import { decodeBase64 } from './base64.ts'

/** A JSON value. */
export type Json = null | boolean | number | JsonNumber | string | readonly Json[] | { readonly [key: string]: Json }

type Report = (message: string) => null

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

const transformations: ReadonlyMap<string, (value: Json, report: Report) => Json> = new Map([
  ['$int', (value: Json, report: Report) => number(value, report, 'a whole number', Number.isSafeInteger)],
  ['$number', (value, report) => number(value, report, 'a number', Number.isFinite)],
  ['$bool', bool],
  ['$string', (value) => (typeof value === 'string' ? value : JSON.stringify(value))],
  ['$list', list],
  ['$array', (value, report) => parsed(value, report, 'a JSON array', Array.isArray)],
  ['$object', (value, report) => parsed(value, report, 'a JSON object', isObject)],
  ['$encodeBase64', (value, report) => onText(value, report, (text) => Buffer.from(text, 'utf8').toString('base64'))],
  ['$decodeBase64', (value, report) => onText(value, report, (text) => decode(text, report))],
])

/** Whether an object is a transformation: its only key is the name of one. */
export function isTransformation(node: { readonly [key: string]: Json }): boolean {
  const keys = Object.keys(node)
  return keys.length === 1 && transformations.has(keys[0]!)
}

/** Applies a transformation; nested ones are already applied. */
export function transform(node: { readonly [key: string]: Json }, report: Report): Json {
  const [[name, value]] = Object.entries(node) as [[string, Json]]
  return transformations.get(name)!(value, (message) => report(`${name}: ${message}`))
}

function number(value: Json, report: Report, what: string, accept: (number: number) => boolean): Json {
  const text = typeof value === 'string' ? value.trim() : value
  const found = typeof text === 'string' && decimal.test(text) ? Number(text) : numberValue(text)
  return found !== null && accept(found) ? found : report(`expected ${what}, found ${show(value)}`)
}

function bool(value: Json, report: Report): Json {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  return report(`expected true or false, found ${show(value)}`)
}

function list(value: Json, report: Report): Json {
  if (Array.isArray(value)) return value
  return onText(value, report, (text) => (text.trim() === '' ? [] : text.split(',').map((item) => item.trim())))
}

function parsed(value: Json, report: Report, what: string, accept: (value: unknown) => boolean): Json {
  if (accept(value)) return value
  if (typeof value !== 'string') return report(`expected ${what}, found ${show(value)}`)
  try {
    const result = parseJson(value) as Json
    if (accept(result)) return result
  } catch {
    return report(`expected ${what}, found text that is not JSON`)
  }
  return report(`expected ${what}, found other JSON`)
}

function decode(text: string, report: Report): Json {
  const bytes = decodeBase64(text, 'either')
  if (bytes === null) return report('expected base64')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return report('expected base64 of UTF-8 text')
  }
}

function onText(value: Json, report: Report, change: (text: string) => Json): Json {
  return typeof value === 'string' ? change(value) : report(`expected a string, found ${show(value)}`)
}

const isObject = (value: unknown): boolean => isPlainObject(value)

/** Tokens are often secrets, so that only the type of a value is shown. */
function show(value: Json): string {
  if (value === null) return 'null'
  if (value instanceof JsonNumber) return 'a number that is not one'
  return Array.isArray(value)
    ? 'an array'
    : typeof value === 'object'
      ? 'an object'
      : `a ${typeof value} that is not one`
}
