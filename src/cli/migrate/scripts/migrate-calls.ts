// Translation of calls of methods of Groovy and of the gateway.
import type { syntax } from '@identity-gateway/groovy'
import { type Migration, member, quoted } from './migration.ts'

type Translate = (target: string, args: readonly string[]) => string

/** Methods with another name, or without a counterpart, in JavaScript. */
const METHODS: Readonly<Record<string, Translate>> = {
  collect: (target, [fn = '']) => `${target}.map(${fn})`,
  each: (target, [fn = '']) => `${target}.forEach(${fn})`,
  findAll: (target, [fn = '']) => `${target}.filter(${fn})`,
  any: (target, [fn = '']) => `${target}.some(${fn})`,
  contains: (target, [value = '']) => `${target}.includes(${value})`,
  containsKey: (target, [key = '']) => (target.endsWith('.headers') ? `${target}.has(${key})` : `${key} in ${target}`),
  size: (target) => `${target}.length`,
  length: (target) => `${target}.length`,
  isEmpty: (target) => `${target}.length === 0`,
  first: (target) => `${target}[0]`,
  last: (target) => `${target}.at(-1)`,
  toString: (target: string) => `String(${target})`,
  equals: (target, [other = '']) => `${target} === ${other}`,
  equalsIgnoreCase: (target, [other = '']) => `${target}.toLowerCase() === ${other}.toLowerCase()`,
  toInteger: (target) => `Number(${target})`,
  toLong: (target) => `Number(${target})`,
  intValue: (target) => `Number(${target})`,
  replace: (target, [from = '', to = '']) => `${target}.replaceAll(${from}, ${to})`,
  replaceAll: (target, [from = '', to = '']) => `${target}.replace(new RegExp(${from}, 'g'), ${to})`,
  matches: (target, [pattern = '']) => `new RegExp('^(?:' + ${pattern} + ')$').test(${target})`,
  tokenize: (target, [separator = "' '"]) => `${target}.split(${separator}).filter((each) => each !== '')`,
  leftShift: (target, [value = '']) => `${target}.push(${value})`,
  keySet: (target) => `Object.keys(${target})`,
  sum: (target) => `${target}.reduce((a, b) => a + b)`,
  capitalize: (target) => `(${target}.charAt(0).toUpperCase() + ${target}.slice(1))`,
  // Promises
  thenAsync: (target, args) => `${target}.then(${args.join(', ')})`,
  thenCatch: (target, [fn = '']) => `${target}.catch(${fn})`,
  thenCatchAsync: (target, [fn = '']) => `${target}.catch(${fn})`,
  thenAlways: (target, [fn = '']) => `${target}.finally(${fn})`,
  thenFinally: (target, [fn = '']) => `${target}.finally(${fn})`,
  thenOnResult: (target, [fn = '']) => `${target}.then(async (result) => { await (${fn})(result); return result })`,
  thenOnException: (target, [fn = '']) => `${target}.catch(async (error) => { await (${fn})(error); throw error })`,
  getOrThrow: (target) => `(await ${target})`,
  getOrThrowUninterruptibly: (target) => `(await ${target})`,
  // Statuses have properties instead of these methods.
  isSuccessful: (target) => `${target}.isSuccessful`,
  isClientError: (target) => `${target}.isClientError`,
  isServerError: (target) => `${target}.isServerError`,
  isRedirection: (target) => `${target}.isRedirection`,
  toURI: (target) => target,
  asURI: (target) => target,
}

/** Static methods, by class and name. */
const STATICS: Readonly<Record<string, Translate>> = {
  'Promises.newResultPromise': (_, [value = '']) => `Promise.resolve(${value})`,
  'Promises.newExceptionPromise': (_, [error = '']) => `Promise.reject(${error})`,
  'Promises.when': (_, [list = '']) => `Promise.all(${list})`,
  'Response.newResponsePromise': (_, [value = '']) => `Promise.resolve(${value})`,
  'JsonOutput.toJson': (_, [value = '']) => `JSON.stringify(${value})`,
  'JsonOutput.prettyPrint': (_, [text = '']) => `JSON.stringify(JSON.parse(${text}), null, 4)`,
  'System.currentTimeMillis': () => 'Date.now()',
  'URLEncoder.encode': (_, [text = '']) => `encodeURIComponent(${text})`,
  'URLDecoder.decode': (_, [text = '']) => `decodeURIComponent(${text})`,
  ...Object.fromEntries(
    ['PathElement', 'QueryParameterNameOrValue', 'Fragment', 'UserInfo'].flatMap((part) => [
      [`Uris.urlEncode${part}`, (_: string, [text = '']: readonly string[]) => `encodeURIComponent(${text})`],
      [`Uris.urlDecode${part}`, (_: string, [text = '']: readonly string[]) => `decodeURIComponent(${text})`],
    ]),
  ),
  'Integer.parseInt': (_, [text = '']) => `Number(${text})`,
  'Integer.valueOf': (_, [text = '']) => `Number(${text})`,
  'Long.parseLong': (_, [text = '']) => `Number(${text})`,
  'String.valueOf': (_, [value = '']) => `String(${value})`,
  'Status.valueOf': (_, [code = '']) => `Status.valueOf(${code})`,
  'Math.max': (_, args) => `Math.max(${args.join(', ')})`,
  'Math.min': (_, args) => `Math.min(${args.join(', ')})`,
  'Math.abs': (_, args) => `Math.abs(${args.join(', ')})`,
}

/** Calls that are the same in both languages. */
const SAME = new Set(
  'then send handle filter add put remove set getFirst startsWith endsWith indexOf lastIndexOf substring toUpperCase toLowerCase trim split join find every sort reverse info warn error debug trace charAt concat fromString toRequestEntity toRequestQuery putSingle resolve getClaim setUserId addTrackingId extendWith'.split(
    ' ',
  ),
)

const TOKENS = 'sign with (await secrets.get(id)).signJwt(claims), and verify with verifyJwt(token)'

/** Classes that scripts in other languages do not have, with their replacement. */
export const MISSING_CLASSES: ReadonlyMap<string, string> = new Map([
  ['SigningManager', TOKENS],
  ['JwtBuilderFactory', TOKENS],
  ['JwtReconstruction', TOKENS],
  ['JwtClaimsSet', 'claims are an object'],
  ['JsonPointer', 'read members with ?.'],
  ['JsonValue', 'data are objects and arrays'],
  ['XmlSlurper', 'JavaScript has no XML parser'],
  ...[
    'ContentType',
    'ContentLength',
    'Location',
    'Connection',
    'ContentEncoding',
    'SetCookie',
    'Cookie',
    'Generic',
  ].map((name) => [`${name}Header`, 'headers are set as text: headers.set(name, value)'] as const),
])

const CONTENT = new Set(['string', 'json', 'bytes', 'form'])

/** `target.name(args)`. */
export function callText(
  migration: Migration,
  node: syntax.CallNode,
  target: string,
  name: string,
  args: readonly string[],
): string {
  const known = STATICS[`${target}.${name}`]
  if (known !== undefined && Object.hasOwn(STATICS, `${target}.${name}`)) return known(target, args)
  if (name === 'parseText' && /JsonSlurper/.test(target)) return `JSON.parse(${args[0] ?? ''})`
  if (name === 'get' && target === 'secrets') return `(await secrets.get(${args.join(', ')}))`
  if (name === 'get' && args.length === 0) return `(await ${target})`
  if (name === 'get' && target.endsWith('.headers')) return `${target}[${args[0]}]`
  if (name === 'get') return `${target}[${args[0] ?? ''}]`
  if (/^set(?:Method|Uri|Entity|Status)$/.test(name)) return setterText(target, name, args[0] ?? '')
  const translate = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (translate !== undefined) return warned(migration, node, name, translate(target, args))
  const [, property] = /^get([A-Z]\w*)$/.exec(name) ?? []
  if (property !== undefined && args.length === 0) {
    return propertyText(target, property.charAt(0).toLowerCase() + property.slice(1), false)
  }
  if (!SAME.has(name)) migration.remark(node.namePosition, `is there a method ${name} in JavaScript?`)
  return `${member(target, name, node.access === 'safe')}(${args.join(', ')})`
}

/** An asynchronous function can not be a callback of a list. */
function warned(migration: Migration, node: syntax.CallNode, name: string, text: string): string {
  if (/^(?:collect|each|findAll|any|sum)$/.test(name) && /\.\w+\(async /.test(text)) {
    migration.remark(node.namePosition, `the function waits: write a loop, or Promise.all(...map(...))`)
  }
  return text
}

/** A setter; those of a new request become arguments of its constructor. */
function setterText(target: string, name: string, value: string): string {
  const property = name.charAt(3).toLowerCase() + name.slice(4)
  const [, fields] = /^new Request\((?:\{ (.*) \})?\)$/.exec(target) ?? []
  if (target.startsWith('new Request(')) {
    return `new Request({ ${fields === undefined || fields === '' ? '' : `${fields}, `}${property}: ${value} })`
  }
  return `${target}.${property} = ${value}`
}

/** `target.name`; content is read by an awaited call. */
export function propertyText(target: string, name: string, safe: boolean): string {
  if (target.endsWith('.entity') && CONTENT.has(name)) return `(await ${target}.${name}())`
  const [, headers, field] = /^(.*\.headers)\[(.*)\]$/.exec(target) ?? []
  if (headers !== undefined && name === 'values') return target
  if (headers !== undefined && name === 'firstValue') return `${headers}.get(${field})`
  return member(target, name, safe)
}

/** `target = value`; headers are set, content is replaced. */
export function assignmentText(target: string, value: string): string {
  const [, message] = /^\(await (.*)\.entity\.(?:string|json|bytes)\(\)\)$/.exec(target) ?? []
  if (message !== undefined) return `${message}.entity = ${value}`
  const [, headers, field] = /^(.*\.headers)\[(.*)\]$/.exec(target) ?? []
  if (headers !== undefined)
    return value === 'null' ? `${headers}.delete(${field})` : `${headers}.set(${field}, ${value})`
  const [, owner, name] = /^(.*\.headers)\.(\w+)$/.exec(target) ?? []
  return owner === undefined ? `${target} = ${value}` : `${owner}.set(${quoted(name ?? '')}, ${value})`
}
