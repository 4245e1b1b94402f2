/** The supported languages. A new one is an entry here and its engine in `compileScript`. */
const LANGUAGES = {
  javascript: { mediaTypes: ['application/javascript', 'text/javascript'], extension: '.js', bindings: [] },
  typescript: { mediaTypes: ['application/typescript'], extension: '.ts', bindings: [] },
  groovy: { mediaTypes: ['application/x-groovy'], extension: '.groovy', bindings: ['args', 'clock'] },
} as const

/** Also the folder of its files below `scripts`. */
export type ScriptLanguage = keyof typeof LANGUAGES

export const SCRIPT_LANGUAGES = Object.keys(LANGUAGES) as readonly ScriptLanguage[]

export const LANGUAGE_BY_MEDIA_TYPE: ReadonlyMap<string, ScriptLanguage> = new Map(
  SCRIPT_LANGUAGES.flatMap((language) => LANGUAGES[language].mediaTypes.map((type) => [type, language] as const)),
)

/** By file extension with its dot. */
export const LANGUAGE_BY_EXTENSION: ReadonlyMap<string, ScriptLanguage> = new Map(
  SCRIPT_LANGUAGES.map((language) => [LANGUAGES[language].extension, language] as const),
)

const COMMON_BINDINGS: readonly string[] = [
  'request',
  'response',
  'context',
  'contexts',
  'attributes',
  'session',
  'globals',
  'http',
  'audit',
  'secrets',
  'logger',
  'properties',
]

/** The names that scripts of a language have in every type of object. */
export function bindingNames(language: ScriptLanguage): readonly string[] {
  return [...COMMON_BINDINGS, ...LANGUAGES[language].bindings]
}
