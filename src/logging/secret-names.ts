import { isConfidential } from './confidential.ts'

// Names of credentials in parameters, forms and JSON, in addition to those that the logger always masks.
const NAMES = new Set([
  'codeverifier',
  'credential',
  'credentials',
  'devicecode',
  'iplanetdirectorypro',
  'jsessionid',
  'jwt',
  'loginticket',
  'logintoken',
  'newpassword',
  'oldpassword',
  'otp',
  'pass',
  'passcode',
  'phpsessid',
  'pin',
  'pwd',
  'registrationaccesstoken',
  'samlresponse',
  'session',
  'sessionid',
  'sessionstate',
  'sessiontoken',
  'sid',
  'sig',
  'signature',
  'softwarestatement',
  'ssotoken',
  'tokenid',
  'usercode',
])

const FORM_OF_ACCESS_MANAGER = /^idtoken\d+$/

/** Whether a name is that of a credential, ignoring `-`, `_`, `.` and case (threats B85). */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[-_.]/g, '')
  return isConfidential(name) || NAMES.has(plain) || FORM_OF_ACCESS_MANAGER.test(plain)
}

/** The same for parameters, where `code` is an authorization code; in JSON it is more often an error code. */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || name.toLowerCase() === 'code'
}
