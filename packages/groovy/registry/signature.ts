// The keys of the library's tables: `substring(int begin, int end): String`, `static MAX_VALUE: int`, `new(String text)`.

type MemberKind = 'method' | 'static method' | 'constructor' | 'property' | 'static property'

/** A type as a table writes it; `dots` for `Object...`, `nullable` for `String?`: others throw for null. */
export interface WrittenType {
  readonly name: string
  readonly dots: boolean
  readonly nullable: boolean
}

/** A parsed key of a table. */
export interface Signature {
  readonly kind: MemberKind
  readonly name: string
  readonly parameters: readonly WrittenType[]
  readonly returns: string | null
  /** As the reference page shows it. */
  readonly text: string
}

const KEY = /^(static )?([\w$]+)(?:\(([^)]*)\))?(?:: ([\w$.]+(?:\[\])*))?$/
const PARAMETER = /^([\w$.]+(?:\[\])*)(\.\.\.|\?)?(?: \w+)?$/

/** Parses a key of a table; an invalid one is a programming error. */
export function parseSignature(key: string): Signature {
  const match = KEY.exec(key)
  if (match === null) throw new TypeError(`not a signature: ${key}`)
  const [, isStatic, name = '', list, returns = null] = match
  const parameters = (list ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => parseParameter(each, key))
  return { kind: kindOf(name, list !== undefined, isStatic !== undefined), name, parameters, returns, text: key }
}

function parseParameter(text: string, key: string): WrittenType {
  const match = PARAMETER.exec(text)
  if (match === null) throw new TypeError(`not a parameter: ${text} of ${key}`)
  // `Object...` matches with the dots in the name, since a name may contain dots.
  const dots = match[2] === '...' || match[1]!.endsWith('...')
  return { name: match[1]!.replace(/\.\.\.$/, ''), dots, nullable: match[2] === '?' }
}

function kindOf(name: string, isCall: boolean, isStatic: boolean): MemberKind {
  if (name === 'new') return 'constructor'
  if (isCall) return isStatic ? 'static method' : 'method'
  return isStatic ? 'static property' : 'property'
}
