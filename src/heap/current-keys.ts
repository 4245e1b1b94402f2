import { formatPointer } from '#json'
import { currentMembers, ignored, type OlderSpelling, type Problem, type TypeDefinition, type Warning } from '#schema'

/** The parts of decoding a document that are used here. */
interface KeyContext {
  readonly warnings: Problem[]
  decoratorType(name: string): TypeDefinition | null
}

const REMOVE = 'it is no longer used; remove it'

/** Keys beside `type` and `config` of files for older gateways (decisions 4), unless a decorator has the name. */
export const LEGACY_KEYS: readonly OlderSpelling[] = [
  ignored('monitor', `${REMOVE}, since metrics are always recorded`, { warnsOnce: true }),
  ignored('audit', `${REMOVE}, and use an AuditService`, { warnsOnce: true }),
]

/** The keys of an object or document in the current spelling; they are removed, renamed and trimmed with warnings. */
export function currentKeys(
  json: Readonly<Record<string, unknown>>,
  pointer: string,
  known: ReadonlySet<string>,
  context: KeyContext,
  older: readonly OlderSpelling[] = [],
): Record<string, unknown> {
  const isDecorator = (key: string) => context.decoratorType(key) !== null
  const legacy = LEGACY_KEYS.filter(({ old: [name = ''] }) => !known.has(name) && !isDecorator(name))
  const { members, remarks } = currentMembers(json, (key) => known.has(key) || isDecorator(key), [...older, ...legacy])
  for (const { path, message, isOnce } of remarks) {
    addWarnings(context, [{ pointer: pointer + formatPointer(path), message, isOnce }])
  }
  return Object.fromEntries([...members].map(([name, { value }]) => [name, value]))
}

/** Adds warnings; one that a document gets once is left out if it has the message already. */
export function addWarnings({ warnings }: Pick<KeyContext, 'warnings'>, found: readonly Warning[]): void {
  for (const { isOnce = false, ...warning } of found) {
    if (!isOnce || !warnings.some(({ message }) => message === warning.message)) warnings.push(warning)
  }
}
