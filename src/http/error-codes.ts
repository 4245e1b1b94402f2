/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_BODY_ABORTED: {
    meaning: 'A body stream was closed before its end.',
    action: 'Nothing, where a client or an upstream disconnected; otherwise see the log of that side.',
  },
  GW_BODY_CANCELLED: {
    meaning: 'A body was discarded before it was read to its end, as after a refusal.',
    action: 'Nothing.',
  },
  GW_BODY_CONSUMED: {
    meaning: 'A body that is not buffered was read a second time.',
    action:
      'Let the filter or script that reads it first buffer it (`asyncBehavior: non_streaming`, `captureEntity`, or `request.entity` in an expression).',
  },
  GW_BODY_NOT_BUFFERED: {
    meaning: 'A script or an expression read a body synchronously that is not buffered.',
    action: 'Use the asynchronous method, or let a filter before it buffer the body.',
  },
  GW_BODY_TOO_LARGE: {
    meaning: 'A body exceeds the limit of its buffer.',
    action: 'Raise `fileLimit` of the TemporaryStorage, or stream the body.',
  },
  GW_CONTENT_CODING: {
    meaning: 'Content-Encoding is not known, or the compressed content is damaged or expands beyond the limit.',
    action: 'Check the sender; known codings are gzip, deflate, br and zstd.',
  },
  GW_COOKIE_INVALID: {
    meaning: 'A cookie that was to be set has a name, value or attribute that RFC 6265 does not allow.',
    action: 'Correct the filter or script that sets it.',
  },
  GW_ENTITY_AMBIGUOUS: {
    meaning:
      'Servers read the body of a request in different ways: a second Content-Type, or JSON or a form in an encoding that hides characters of ASCII.',
    action: 'Check the client: JSON and forms are sent in UTF-8, with one Content-Type.',
  },
  GW_ENTITY_TOO_LARGE: {
    meaning: 'A body is larger than expressions and scripts may read.',
    action: 'Raise `entityLimits` of admin.json, or do not read the body there.',
  },
  GW_FORM_TOO_LARGE: {
    meaning: 'A form has more than 10,000 fields.',
    action: 'Check the client; a form of this size is an attack or a mistake.',
  },
  GW_HEADER_INVALID: {
    meaning: 'A header name or value has characters that RFC 9110 does not allow.',
    action: 'Correct the filter or script that sets it.',
  },
  GW_URI_INVALID: {
    meaning: 'A text is not a URI (RFC 3986).',
    action: 'Correct the field, expression or script that the message names.',
  },
}
