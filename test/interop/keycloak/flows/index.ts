import type { Part } from '../suite.ts'
import { accessTokens } from './access-tokens.ts'
import { authorizationRequests } from './authorization-requests.ts'
import { backChannelLogout } from './back-channel-logout.ts'
import { boundTokens } from './bound-tokens.ts'
import { browser } from './browser.ts'
import { callbacks } from './callbacks.ts'
import { dpopClient } from './dpop-client.ts'
import { encryption } from './encryption.ts'
import { guide } from './guide.ts'
import { introspection } from './introspection.ts'
import { keys } from './keys.ts'
import { login } from './login.ts'
import { outages } from './outages.ts'
import { privateAuthority } from './private-authority.ts'
import { sessions } from './sessions.ts'
import { stepUp } from './step-up.ts'
import { tokenExchange } from './token-exchange.ts'
import { uma } from './uma.ts'
import { userInfo } from './user-info.ts'

export const PARTS: readonly Part[] = [
  login,
  userInfo,
  outages,
  sessions,
  backChannelLogout,
  callbacks,
  browser,
  encryption,
  authorizationRequests,
  stepUp,
  accessTokens,
  introspection,
  boundTokens,
  dpopClient,
  tokenExchange,
  privateAuthority,
  guide,
  keys,
  uma,
]
