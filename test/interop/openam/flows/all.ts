import type { Flow } from '../../flows.ts'
import type { Peers } from '../peers.ts'
import { adviceFlows, classicAdviceFlows } from './advices.ts'
import { crossDomainFlows } from './cross-domain.ts'
import { guideFlows } from './guide.ts'
import { lostNotificationFlows } from './lost-notifications.ts'
import { openIdFlows } from './openid.ts'
import { auditFlows, operationFlows } from './operations.ts'
import { policyFlows } from './policies.ts'
import { realmFlows } from './realms.ts'
import { restartFlows } from './restart.ts'
import { singleSignOnFlows } from './single-sign-on.ts'
import { tokenFlows } from './tokens.ts'

/** In order: the restart ends all sessions, and brings the server back with classic login pages. */
export const FLOWS: readonly Flow<Peers>[] = [
  ...singleSignOnFlows,
  ...realmFlows,
  ...policyFlows,
  ...adviceFlows,
  ...openIdFlows,
  ...tokenFlows,
  ...crossDomainFlows,
  ...lostNotificationFlows,
  ...operationFlows,
  ...guideFlows,
  ...restartFlows,
  ...auditFlows,
  ...classicAdviceFlows,
]
