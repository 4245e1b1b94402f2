import type { ScriptLanguage } from './program.ts'

const EVERY_LANGUAGE: readonly string[] = [
  'request',
  'response',
  'context',
  'contexts',
  'attributes',
  'session',
  'globals',
  'http',
  'audit',
  'logger',
  'properties',
]
const GROOVY: readonly string[] = ['args', 'clock']

/** The names that scripts of a language have in every type of object. */
export function bindingNames(language: ScriptLanguage): readonly string[] {
  return language === 'groovy' ? [...EVERY_LANGUAGE, ...GROOVY] : EVERY_LANGUAGE
}
