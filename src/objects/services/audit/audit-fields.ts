import { ACCESS_CASE_INSENSITIVE } from '#audit'
import { secretsProvider } from '#contracts'
import {
  boolean,
  config,
  type DecodedMembers,
  duration,
  integer,
  list,
  map,
  object,
  runtime,
  type Settled,
  secretId,
  string,
} from '#schema'
import { eventHandlersField } from './event-handlers.ts'

const pointers = () => list(config(string({ nonEmpty: true }))).default([])

const fieldPolicies = object({
  includeIf: pointers().meta({
    description:
      'Pointers of fields to write in addition to the safelist, such as `/access/http/request/headers/x-tenant`; fields below them are included.',
  }),
  excludeIf: pointers().meta({
    description: 'Pointers of fields that are never written; takes precedence over every other policy.',
  }),
  hash: object({
    secretId: secretId().meta({ description: 'Id of the secret key of the HMAC.' }),
    fields: list(config(string({ nonEmpty: true })), { nonEmpty: true }).meta({
      description: 'Pointers of fields whose values are replaced by their HMAC-SHA256.',
    }),
  })
    .optional()
    .meta({ description: 'Fields that are written as a hash: equal values can be recognised, but not read.' }),
  truncate: map(config(integer({ min: 0, max: 65_536 })))
    .default({})
    .meta({ description: 'Maximum length in characters, by the pointer of the field.' }),
})

const filterPolicies = object({
  field: fieldPolicies.default({}).meta({ description: 'Fields that are written or omitted.' }),
  value: object({
    includeIf: pointers().meta({
      description:
        'Pointers of fields whose values are written although `excludeIf` names them, or a field above them.',
    }),
    excludeIf: pointers().meta({ description: 'Pointers of fields that are written without their value.' }),
  })
    .default({})
    .meta({ description: 'Values that are written or omitted.' }),
})

const innerConfig = object({
  handlerForQueries: config(string({ nonEmpty: true }))
    .optional()
    .meta({
      description:
        'Name of the event handler that `/api/audit/<topic>` queries; by default the first that supports queries and takes the topic.',
    }),
  availableAuditEventHandlers: list(config(string())).default([]).meta({
    description:
      'Class names of event handlers; accepted without effect, since all handlers of the gateway are available.',
  }),
  caseInsensitiveFields: list(config(string({ nonEmpty: true })))
    .default([...ACCESS_CASE_INSENSITIVE])
    .meta({ description: 'Pointers of objects whose member names policies compare case-insensitively.' }),
  filterPolicies: filterPolicies.default({}).meta({
    description:
      'Policies beyond the safelist: by default events contain no query, cookie, credential or response header.',
  }),
})

/** Fields of AuditService. */
export const AUDIT_FIELDS = {
  config: innerConfig.default({}).meta({ description: 'Queries and policies of the service.' }),
  eventHandlers: eventHandlersField().meta({
    description: 'Event handlers, each with `class`, of which only the simple name is used, and `config`.',
  }),
  topicSchemasDirectory: config(string({ nonEmpty: true }))
    .optional()
    .meta({
      description: 'Folder with a JSON schema for each custom topic; `audit-schemas` of the instance by default.',
    }),
  userIdExpression: runtime('string').optional().meta({
    description:
      'User of the access event. By default the first of these that the request has: the session of single sign-on, also across domains, the access token, the ID token of an OpenID login, the validated JWT, `username` of the session, the client certificate.',
  }),
  compatibility: config(boolean()).default(false).meta({
    description: 'Writes access events with the name `OPENIG-HTTP-ACCESS` and the group `ig` in place of `gateway`.',
  }),
  longRunningAfter: config(duration({ min: '100 ms' }))
    .default('1 minute')
    .meta({
      description:
        'For a request in flight for this time a first event is written, with `gateway.longRunning`; `unlimited`: none.',
    }),
  secretsProvider: secretsProvider('the secrets that policies name'),
}

/** Values of the fields of AuditService. */
export type AuditValues = Settled<DecodedMembers<typeof AUDIT_FIELDS>>
