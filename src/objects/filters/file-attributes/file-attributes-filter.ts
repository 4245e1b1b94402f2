import { resolve } from 'node:path'
import { Executor, FileAttributesContext, FilterKind } from '#contracts'
import type { Filter } from '#http'
import {
  type Assign,
  boolean,
  ConfigError,
  config,
  defineType,
  field,
  leftValue,
  list,
  type Runtime,
  ref,
  renamed,
  runtime,
  string,
} from '#schema'
import { assignedTarget } from '../../lib/deprecated-fields/assigned-target.ts'
import { isCharset } from '../../lib/messages/charset.ts'
import { EVENTS } from '../log-events.ts'
import { RecordFile } from './record-file.ts'

const SEPARATORS: Readonly<Record<string, string>> = { COLON: ':', COMMA: ',', SEMICOLON: ';', TAB: '\t' }

/** Provides a record of a file. */
export const FileAttributesFilter = defineType({
  name: 'FileAttributesFilter',
  kind: FilterKind,
  summary: 'Looks up a record in a CSV file and adds its fields to the contexts.',
  provides: [FileAttributesContext],
  events: [EVENTS.FILE_NOT_READ],
  config: {
    file: config(string({ nonEmpty: true })).meta({
      description: 'The file; a relative path starts at the instance directory.',
    }),
    charset: config(string({ nonEmpty: true }))
      .default('UTF-8')
      .meta({ description: 'Character encoding of the file.' }),
    separator: config(separator()).default('COMMA').meta({
      description: 'Separator of fields: `COLON`, `COMMA`, `SEMICOLON`, `TAB`, or another character.',
    }),
    header: config(boolean()).default(true).meta({
      description: 'Whether the first line has the names of the fields; it is no record then.',
    }),
    fields: list(config(string()))
      .default([])
      .meta({ description: 'Names of the fields in their order; by default those of the first line.' }),
    key: config(string({ nonEmpty: true })).meta({ description: 'Name of the field by which a record is found.' }),
    value: runtime('string').meta({ description: 'The value of that field, such as `${contexts.ssoToken.info.uid}`.' }),
    target: leftValue().optional().meta({
      description: 'Further target of the record, such as `${attributes.credentials}`.',
      replacement: 'use contexts.fileAttributes.record',
    }),
    executorService: ref(Executor)
      .default('ScheduledExecutorService')
      .meta({ description: 'Service that checks the file for changes.' }),
  },
  older: [renamed('executor', 'executorService')],
  migrate: assignedTarget('${contexts.fileAttributes.record}'),
  check: ({ charset, header, fields, key }, report) => {
    if (!isCharset(charset)) report('/charset', `expected a character encoding, got "${charset}"`)
    if (!header && fields.length === 0) {
      report('/fields', 'expected the names of the fields, since the file has no header')
    } else if (fields.length > 0 && !fields.includes(key)) {
      report('/key', `expected one of fields, got "${key}"`)
    }
  },
  create: async (values, env) => {
    const file = new RecordFile(
      {
        path: resolve(env.directories.instance, values.file),
        charset: values.charset,
        separator: values.separator,
        hasHeader: values.header,
        fields: values.fields.length === 0 ? null : values.fields,
        key: values.key,
      },
      env,
    )
    try {
      await file.open()
    } catch (error) {
      throw new ConfigError([{ pointer: '/file', message: `the file can not be read: ${(error as Error).message}` }])
    }
    if (env.serving) file.watch(values.executorService)
    return fileAttributes(file, values.value, values.target ?? null)
  },
})

/** Adds the record to the contexts; an empty one where none is found. */
function fileAttributes(file: RecordFile, value: Runtime<string>, target: Assign | null): Filter {
  return async (exchange, next) => {
    const key = await value(exchange)
    const record = (key === null ? null : file.find(key)) ?? {}
    const extended = exchange.with(FileAttributesContext, { record })
    await target?.(extended, null, { ...record })
    return next(extended)
  }
}

function separator() {
  const schema = () => ({ type: 'string' })
  return field<string>({ label: 'a separator', schema }, (value, report) => {
    const named = typeof value === 'string' ? (SEPARATORS[value.toUpperCase()] ?? value) : ''
    if (named.length !== 1 || /["\r\n]/.test(named)) {
      report('expected COLON, COMMA, SEMICOLON, TAB, or one character other than a quote or line break')
    }
    return named
  })
}
