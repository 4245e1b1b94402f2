import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_HEAP', {
  NOT_RELEASED: {
    message: 'objects of a configuration that is not served could not be disposed',
    meaning:
      'A document was rejected, or an object was ready only after its document was rejected or retired. Its resources, such as connections, may stay open until the process ends; traffic is not affected.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
})
