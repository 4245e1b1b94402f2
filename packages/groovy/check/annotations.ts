import type { Annotation } from '../syntax/ast.ts'
import type { Findings } from './findings.ts'

/** Annotations without effect: types are checked at run time. */
const IGNORED: ReadonlySet<string> = new Set([
  'CompileStatic',
  'CompileDynamic',
  'TypeChecked',
  'SuppressWarnings',
  'Override',
  'Deprecated',
  'FunctionalInterface',
  'SafeVarargs',
  'Generated',
  'Internal',
  'NotNull',
  'Nonnull',
  'Nullable',
  'NonNull',
  'DelegatesTo',
  'ClosureParams',
  'NamedParam',
  'NamedParams',
  'SelfType',
  'AutoFinal',
  'Synchronized',
  'ThreadInterrupt',
  'TimedInterrupt',
])

const GRAPES = 'libraries can not be fetched; only the classes listed in the reference are available'
const WRITE_OUT = 'write the generated code explicitly'

const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['Grab', GRAPES],
  ['Grapes', GRAPES],
  ['GrabConfig', GRAPES],
  ['GrabExclude', GRAPES],
  ['GrabResolver', GRAPES],
  ['BaseScript', 'the base class of a script can not be changed; call a class below scripts/groovy'],
  ['Slf4j', 'use the variable logger'],
  ['Log', 'use the variable logger'],
  ['Log4j2', 'use the variable logger'],
])

/** Whether an import names an annotation, which is checked where it is used. */
export function isAnnotation(name: string): boolean {
  const simple = name.slice(name.lastIndexOf('.') + 1)
  return name.startsWith('groovy.transform.') || IGNORED.has(simple) || UNSUPPORTED.has(simple)
}

/** Checks the annotations of a declaration; `@Field` is only for variables of a script. */
export function checkAnnotations(annotations: readonly Annotation[], mayBeField: boolean, findings: Findings): void {
  for (const { name, position } of annotations) {
    const simple = name.slice(name.lastIndexOf('.') + 1)
    if (IGNORED.has(simple)) continue
    if (simple === 'Field') {
      if (!mayBeField) findings.add(position, '@Field is allowed only on a variable of the script itself')
      continue
    }
    findings.add(position, `@${simple} is not supported: ${UNSUPPORTED.get(simple) ?? WRITE_OUT}`)
  }
}
