import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_OBJECT', {
  HEADER_LEFT_OUT: {
    message: 'header value left out',
    meaning:
      'The value was omitted: it is no text, or has characters that the encoding of the header can not represent.',
    action: 'Correct the expression, or set `encoding` of a HeaderFilter to UTF-8.',
  },
})
