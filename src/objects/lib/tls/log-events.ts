import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_OBJECT', {
  CERTIFICATE_EXPIRES: {
    message: 'a certificate for TLS has expired or will soon',
    meaning:
      'Peers reject an expired certificate: clients that of a connector, servers that of a handler with client certificate.',
    action: 'Renew the certificate; the gateway reads the new files without a restart.',
  },
  CERTIFICATE_UNREADABLE: {
    message: 'a certificate of the connector can not be read; the last good one stays in use',
    meaning: 'The last good certificate stays in use, also after it has expired.',
    action: 'Check the keystore or secret of the TLS options.',
  },
  CLIENT_KEY_UNUSABLE: {
    message: 'TLS can not use the renewed key of a client certificate; the last good one stays in use',
    meaning: 'Connections to servers are opened with the last good key and certificate, also after it has expired.',
    action: 'See `error`. Renew the key once more, such as with an RSA key of 2048 bits or an EC key.',
  },
})
