import { HandlerKind, type SecretsProvider, secretsProvider } from '#contracts'
import type { Handler } from '#http'
import { byShape, config, exactlyOneOf, type Field, field, list, ref, string } from '#schema'
import { bindingNames, LANGUAGE_BY_MEDIA_TYPE, SCRIPT_LANGUAGES, type ScriptLanguage } from '#scripts'
import { scriptArguments } from './script-arguments.ts'

const CLASSES = ['Request', 'Response', 'Status', 'Form', 'ThrottlingRate'] as const

/**
 * The bindings of a script besides its arguments. `own` are those of the object type: `next` for filters, `token` for resolvers,
 * others for members of `values` at evaluation. `builder` exists in Groovy alone: scripts in other languages check claims themselves.
 */
export function bindingsIn(language: ScriptLanguage, own: readonly string[]): readonly string[] {
  const names = language === 'groovy' ? own : own.filter((name) => name !== 'builder')
  return [...bindingNames(language), ...names]
}

const FOLDERS = SCRIPT_LANGUAGES.map((language) => `\`scripts/${language}\``)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ')

function mediaType(): Field<ScriptLanguage> {
  const types = [...LANGUAGE_BY_MEDIA_TYPE.keys()]
  const listed = types.map((type) => `"${type}"`).join(', ')
  return field<ScriptLanguage>(
    { label: types.map((type) => `"${type}"`).join(' or '), schema: () => ({ type: 'string', enum: types }) },
    (value, report) => {
      const language = typeof value === 'string' ? LANGUAGE_BY_MEDIA_TYPE.get(value.toLowerCase()) : undefined
      if (language !== undefined) return language
      report(`expected one of ${listed}, got ${JSON.stringify(value)}`)
      return undefined
    },
  )
}

/** The fields of every scriptable type, to be used with `scriptRules`. */
export function scriptFields(own: readonly string[] = []) {
  return {
    type: config(mediaType()).meta({ description: 'Language of the script.' }),
    file: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description: `File of the script, in ${FOLDERS}, else in \`scripts\`, of the instance. A changed file is reloaded while the gateway runs.`,
      }),
    source: byShape({ string: string({ nonEmpty: true }), array: list(string(), { nonEmpty: true }) })
      .optional()
      .meta({ description: 'The script itself: one string, or an array of its lines.' }),
    args: scriptArguments([...bindingNames('javascript'), ...own, ...CLASSES])
      .default({})
      .meta({
        description:
          "Arguments of the script by name: JSON values. Strings may be expressions, which are evaluated at load. `${heap['Name']}` is an object of the heap.",
      }),
    clientHandler: ref(HandlerKind).default('ClientHandler').meta({
      description: 'Sends the requests that the script makes with `http`.',
    }),
    secretsProvider: secretsProvider('`secrets`, without which a script that uses `secrets` is rejected', 'none'),
  }
}

/** A script is in a file or in the configuration. */
export const scriptRules = () => [exactlyOneOf('file', 'source')]

/** The settled fields of a script. */
export interface ScriptConfig {
  readonly type: ScriptLanguage
  readonly file?: string | undefined
  readonly source?: string | readonly string[] | undefined
  readonly args: Readonly<Record<string, unknown>>
  readonly clientHandler: Handler
  readonly secretsProvider?: SecretsProvider | undefined
}
