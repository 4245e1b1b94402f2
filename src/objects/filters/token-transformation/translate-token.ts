import { callRest } from '#access-manager'
import { AccessManagerError, type AmService } from '#contracts'
import { type Exchange, Uri } from '#http'

/** Reads the URI of an STS instance: `<am>/rest-sts[/realm]/<instance>`. */
export function stsUri({ url, realm }: Pick<AmService, 'url' | 'realm'>, instance: string): string {
  const names = [...realm.split('/'), ...instance.split('/')].filter((name) => name !== '')
  return `${url}/rest-sts/${names.map(encodeURIComponent).join('/')}?_action=translate`
}

/** Why a token was not translated: it is invalid, or the caller may not translate it. */
export class TranslationRefused {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** Translates an ID token into a SAML 2.0 assertion. Rejects with an AccessManagerError where the service fails. */
export async function translateToken(
  amService: AmService,
  uri: string,
  idToken: string,
  exchange: Exchange,
): Promise<string | TranslationRefused> {
  const body = {
    input_token_state: { token_type: 'OPENIDCONNECT', oidc_id_token: idToken },
    output_token_state: { token_type: 'SAML2', subject_confirmation: 'BEARER' },
  }
  const call = { method: 'POST', uri: Uri.parse(uri), resource: '1.0', body, onBehalfOf: exchange } as const
  const { status, json } = await callRest(amService.agentHandler, call, amService.callTimeout)
  if (status === 404)
    throw new AccessManagerError(
      'misconfigured',
      'the access manager does not know the STS instance (404); look at instance',
    )
  if (status >= 400 && status < 500)
    return new TranslationRefused(`the security token service refuses the token (${status})`)
  const issued = json?.['issued_token']
  if (status === 200 && typeof issued === 'string' && issued !== '') return issued
  throw new AccessManagerError('unavailable', `rest-sts: expected an issued token, got the status ${status}`)
}
