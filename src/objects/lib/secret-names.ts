import { isConfidential } from '#logging'

// Names under which credentials travel in parameters, forms and JSON, beyond those that no log entry shows.
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

/** Whether what stands under this name is a credential; `-`, `_`, `.` and case do not matter (threats B85). */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[-_.]/g, '')
  return isConfidential(name) || NAMES.has(plain) || FORM_OF_ACCESS_MANAGER.test(plain)
}

/** The same for parameters, where a `code` is one that buys a token; in JSON it is more often that of an error. */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || name.toLowerCase() === 'code'
}
