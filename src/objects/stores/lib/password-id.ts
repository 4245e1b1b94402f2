import { field, secretId } from '#schema'

/** The secret id of a password. Messages do not contain the value, which may be the password by mistake. */
export const passwordId = () => {
  const id = secretId()
  return field<string>({ label: 'a secret id', schema: () => ({ type: 'string' }) }, (value, report) => {
    if (!id.accepts(value)) {
      report('expected the secret id of a password: letters, digits, "-" and "_" in words joined by dots')
    }
    return value as string
  })
}
