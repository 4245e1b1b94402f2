// The enums of algorithms. Their text is the name in the header of a token.
import { type ClassInfo, classes, EnumValue, exceptions, ObjectArray } from '@identity-gateway/groovy'
import { ENCRYPTION_ALGORITHMS, ENCRYPTION_METHODS, SIGNATURE_ALGORITHMS } from '#jose'
import { extendWithHost, gatewayClass } from '../host-class.ts'

/** An algorithm with its constant and its name in headers. */
class AlgorithmValue extends EnumValue {
  readonly headerName: string

  constructor(klass: ClassInfo, constant: string, ordinal: number, headerName: string) {
    super(klass, constant, ordinal)
    this.headerName = headerName
  }
}

/** Declares an enum; `parse` has the names of its methods that find an algorithm by its name in headers. */
function algorithmEnum(className: string, parse: readonly string[], names: ReadonlyMap<string, string>) {
  const klass = gatewayClass(`json.jose.${className}`, { kind: 'enum', parent: classes.EnumClass })
  const all = [...names].map(([constant, name], at) => new AlgorithmValue(klass, constant, at, name))
  const find = (name: string): AlgorithmValue | undefined => all.find(({ headerName }) => headerName === name)
  const { simpleName } = klass
  const parsed = (name: string): AlgorithmValue => {
    const found = find(name)
    if (found === undefined) throw exceptions.illegalArgument(`Unknown ${simpleName}, ${name.slice(0, 50)}`)
    return found
  }
  extendWithHost(klass, {
    ...Object.fromEntries(all.map((each) => [`static ${each.constant}: ${simpleName}`, each])),
    [`static values(): ${simpleName}[]`]: () => new ObjectArray(klass, [...all]),
    [`static valueOf(String name): ${simpleName}`]: (name: string) => {
      const found = all.find(({ constant }) => constant === name)
      if (found === undefined) throw exceptions.illegalArgument(`No enum constant ${klass.name}.${name.slice(0, 50)}`)
      return found
    },
    ...Object.fromEntries(parse.map((method) => [`static ${method}(String name): ${simpleName}`, parsed])),
    'toString(): String': ({ headerName }: AlgorithmValue) => headerName,
  })
  return find
}

const constantOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '_')
const constants = (names: readonly string[]): [string, string][] => names.map((name) => [constantOf(name), name])

/** `NONE` exists to compare with; nothing signs or verifies by it. */
export const findSignatureAlgorithm = algorithmEnum(
  'jws.JwsAlgorithm',
  // The first is that of older gateways.
  ['getJwsAlgorithm', 'parseAlgorithm'],
  new Map([['NONE', 'none'], ...constants(SIGNATURE_ALGORITHMS)]),
)

export const findEncryptionAlgorithm = algorithmEnum(
  'jwe.JweAlgorithm',
  ['parseAlgorithm'],
  new Map([...constants(ENCRYPTION_ALGORITHMS.filter((name) => name !== 'dir')), ['DIRECT', 'dir']]),
)

export const findEncryptionMethod = algorithmEnum(
  'jwe.EncryptionMethod',
  ['parseMethod'],
  new Map(constants(ENCRYPTION_METHODS)),
)
