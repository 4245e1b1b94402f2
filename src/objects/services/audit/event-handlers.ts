import { type AuditEventHandler, AuditEventHandlerKind } from '#contracts'
import { isPlainObject, type JsonObject } from '#json'
import { type Deferred, type Field, field, IGNORED_KEYS, isIgnoredKey, list, Reference, UNKNOWN_MEMBER } from '#schema'

/** An element of `eventHandlers`: `{ "class", "config" }`. The simple name of the class is the type of the handler. */
function eventHandler(): Field<Deferred<AuditEventHandler>> {
  const schema = () => ({
    type: 'object',
    required: ['class', 'config'],
    properties: { class: { type: 'string' }, config: { type: 'object' } },
    ...IGNORED_KEYS,
    additionalProperties: false,
  })
  const shape = { label: 'an event handler', schema, kinds: [AuditEventHandlerKind], typeKey: 'class' }
  return field(shape, (value, report) => {
    if (!isPlainObject(value) || typeof value['class'] !== 'string' || value['class'] === '') {
      report('expected an event handler { "class": ..., "config": ... }')
      return undefined
    }
    for (const key of Object.keys(value)) {
      if (key !== 'class' && key !== 'config' && !isIgnoredKey(key))
        report(`${UNKNOWN_MEMBER}; write it in config`, [key])
    }
    const { class: className, config } = value
    const type = className.slice(className.lastIndexOf('.') + 1)
    return new Reference<AuditEventHandler>(
      [AuditEventHandlerKind],
      { type, config: (config ?? {}) as JsonObject },
      'class',
    )
  })
}

/** The field `eventHandlers` of AuditService. */
export const eventHandlersField = (): Field<Deferred<AuditEventHandler>[]> => list(eventHandler())
