import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_CONTROL', {
  AUDIT_HANDLER_NOT_CLOSED: {
    message: 'an audit event handler could not be closed',
    meaning: 'A connection or file of a handler that is no longer configured may stay open until the gateway stops.',
    action: 'Report the error with its stack.',
  },
  AUDIT_JOURNAL_FAILED: {
    message:
      'a unit can not write the journal of audit events; units serve without it until the disk takes a write in time',
    meaning:
      'Events are delivered, and responses are sent. If the process is killed meanwhile, events of the last 500 ms are lost; with the journal none is.',
    action: 'Check free space, permissions and speed of the directory `spool/audit` of the instance.',
  },
  AUDIT_JOURNAL_UNREADABLE: {
    message: 'the journal of audit events of a unit that has ended can not be read',
    meaning:
      'Its last events are not delivered now. The next process of the gateway reads the journal again when it opens the spool.',
    action: 'Check the permissions of the files in the directory `spool/audit` of the instance.',
  },
  AUDIT_SPOOL_ORPHANED: {
    message: 'a spool holds audit events that no event handler sends',
    meaning:
      'The folder is named after an audit service and its event handler: one of them was renamed, removed or disabled, or its route did not load. The events stay there.',
    action:
      'Give service and handler the names again with which the name of the folder begins, until the events are sent; or remove the folder if they are not needed.',
  },
  COPY_CHANGED: {
    message: 'files in the local copy of the release were changed by hand; they are overwritten',
    meaning: 'The files are those of the release again. Traffic is not affected.',
    action: 'Change the configuration over the management API, or with `gateway push`.',
  },
  COPY_DAMAGED: {
    message: 'the local copy of the release has damaged files, which can not be restored without the store',
    meaning:
      'Units that serve go on. The files are read from the store as soon as it can be reached; until then a gateway that just started is not ready.',
    action: 'Check the disk of the state directory, and the store. Do not change files of the local copy by hand.',
  },
  HISTORY_FILES_IGNORED: {
    message: 'files in the history of routes are ignored, since they can not be read as versions',
    meaning: 'These files are not offered as versions of a route; nothing else is affected.',
    action: 'Remove the files, or restore them from a backup.',
  },
  HISTORY_UNREADABLE: {
    message: 'the history of routes can not be read, so that it is empty',
    meaning: 'No earlier version can be restored.',
    action: 'Check permissions and disk of the history directory.',
  },
  HISTORY_VERSION_IGNORED: {
    message: 'a version is ignored',
    meaning: 'This version can not be restored.',
    action: 'Remove the file, or restore it from a backup.',
  },
  HISTORY_WRITE_FAILED: {
    message: 'a version of a route could not be stored',
    meaning: 'The change was made; its earlier version is lost when the process ends.',
    action: 'Check permissions and free space of the history directory.',
  },
  INSTANCE_ID_SHARED: {
    message: 'another gateway of the same store has the instanceId of this one',
    meaning:
      'Traffic is not affected. The list of instances has one record for both, so that it does not show what each serves.',
    action:
      'Give each gateway its own `instanceId` in admin.json, or leave it out; do not copy the state directory to another machine.',
  },
  METRICS_LATE: {
    message: 'metrics of a unit are late; its last ones are exposed',
    meaning: 'Metrics of a unit are older than the others.',
    action: 'Check the event-loop delay of the unit.',
  },
  NO_TAKE_OVER: {
    message: 'no other process can take over from this gateway: its socket can not be opened',
    meaning: 'The gateway serves; `gateway run --take-over` starts as without it, and finds the ports in use.',
    action: 'Check the file of the entry, and the permissions of its folder.',
  },
  PORTS_NOT_SHARED: {
    message: 'ports can not be shared between threads here, so that one unit serves',
    meaning: 'One unit serves all requests.',
    action: 'Run the gateway on Linux, or set gatewayUnits to 1.',
  },
  RECORD_REFUSED: {
    message: 'the configuration store refuses the record of this instance',
    meaning:
      'Traffic is not affected. The list of instances does not show what this gateway serves, and changes over the management API get 503.',
    action:
      'See the reason: compact and defragment etcd and disarm its alarm where it is full, or grant its user read and write access to the keys below `prefix`.',
  },
  RELEASE_NOT_SERVED: {
    message: 'files of a release can not be served; their last good versions stay',
    meaning: 'This instance does not count as one that serves the release. The other files of the release are served.',
    action: 'See the problems before this entry; push a corrected release, or roll back.',
  },
  RELEASE_NOT_STORED: {
    message: 'a release can not be written to the state directory; the one before it stays',
    meaning: 'Traffic is not affected. The instance tries again.',
    action: 'Free space on the disk of the state directory, or correct its permissions.',
  },
  RELEASE_REFUSED: {
    message: 'no unit can start with a release; the one before it stays',
    meaning: 'Traffic is not affected. This instance does not serve the release, and tries again within five minutes.',
    action:
      'Correct config.json or the scripts at the place in `reason`, and push; or roll back. Where the cause is on this machine, correct it, and send SIGHUP.',
  },
  RELEASE_UNREADABLE: {
    message: 'a release of the configuration store can not be read; the one before it stays',
    meaning: 'Traffic is not affected. The instance tries again.',
    action: 'See the error: push the files again, roll back to another release, or upgrade this gateway.',
  },
  REPLACED_UNIT_ENDED: {
    message: 'a unit that others have replaced ended before its requests did',
    meaning: 'In-flight requests of this unit were aborted; the units with the new configuration serve.',
    action: 'See the error; if it repeats, report it with the log.',
  },
  REQUEST_FAILED: {
    message: 'a request of the management API failed',
    meaning: 'A request of the management API got 500.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  ROUTES_FOLDER_MISSING: {
    message: 'the folder of routes no longer exists: its routes are removed',
    meaning: 'Requests that they served get the response of `defaultHandler` of the Router, or 404.',
    action:
      'Restore the folder; its routes are loaded within a second. Check the mount of a volume, or the target of a link.',
  },
  ROUTES_UNREADABLE: {
    message: 'the route folder can not be scanned',
    meaning: 'Routes stay as they are.',
    action: 'Check permissions and disk of the route folder.',
  },
  ROUTE_NOT_WRITTEN: {
    message: 'a route can not be written; nothing has changed',
    meaning: 'The change was refused; nothing has changed.',
    action: 'Check permissions and free space of the route folder.',
  },
  ROUTE_REFUSED: {
    message: 'a route file has a problem',
    meaning: 'The file is not used; an earlier version of the route stays active.',
    action: 'Correct the file at the position in the message.',
  },
  ROUTE_SCAN_FAILED: {
    message: 'the route folder can not be scanned; the routes stay as they are',
    meaning: 'Routes stay as they are until the next scan.',
    action: 'Check permissions and disk of the route folder.',
  },
  ROUTE_UNREADABLE: {
    message: 'a route can not be read; nothing has changed',
    meaning: 'The change was refused; nothing has changed.',
    action: 'Check permissions and disk of the route folder.',
  },
  SESSION_NOT_SAVED: {
    message: 'the session of a management request was not saved: it is too large',
    meaning: 'The user may have to log in again.',
    action: 'Request fewer claims and scopes in the filter of `adminProtection`.',
  },
  STORE_DIVERGED: {
    message: 'the configuration store contradicts the local copy of this instance; the copy is served',
    meaning: 'Traffic is not affected. Changes of the configuration over this gateway get 409.',
    action: 'Find out why (`reason`), then decide: `gateway push` or `gateway release adopt`.',
  },
  STORE_UNAVAILABLE: {
    message: 'the configuration store can not be read; the last release is served',
    meaning:
      'Traffic is not affected. Changes over the management API get 503. A gateway that has no release yet is not ready.',
    action: 'See the reason: check that etcd runs and has a leader, its address, certificate, user and password.',
  },
  STUDIO_LOGIN_FAILED: {
    message: 'log-in to the Studio refused',
    meaning:
      'The user or the password was wrong. After ten failures an address has to wait three seconds for each further one.',
    action: 'Where it repeats, check who sends requests from this address.',
  },
  STUDIO_UNREADABLE: {
    message: 'the pages of the Studio can not be read',
    meaning: 'The Studio is not available, or its previous build is served; traffic is not affected.',
    action: 'Build the Studio again, and check permissions of its folder.',
  },
  UNIT_DRAIN_FAILED: {
    message: 'a unit did not drain; it is terminated with its in-flight requests',
    meaning: 'In-flight requests of the unit were aborted.',
    action: 'Nothing, where clients were slow; otherwise raise the grace time.',
  },
  UNIT_ENDED: {
    message: 'a unit ended; it is started again, the others keep serving',
    meaning: 'In-flight requests of this unit were aborted; the other units keep serving, and a new one starts.',
    action: 'See the error; if it repeats, report it with the log.',
  },
  UNIT_MESSAGE_FAILED: {
    message: 'a message of a unit could not be processed',
    meaning: 'A message of a unit had no effect.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  TAKE_OVER_FAILED: {
    message: 'the process that was taking over has ended, or was given up; this one keeps serving',
    meaning: 'Nothing has changed.',
    action: 'See the output of the other process.',
  },
  UNITS_END_REPEATEDLY: {
    message: 'units end repeatedly: five times or more within the last hour',
    meaning:
      'Each end aborts the in-flight requests of a unit. Where a request can end it, its sender can do so at any time.',
    action:
      'See the errors of the entries `GW_CONTROL_UNIT_ENDED`, and the requests before them; block their sender, correct a script that does not end, or report the error.',
  },
  UNITS_NOT_REPLACED: {
    message: 'units with the new configuration could not start; those with the earlier one keep serving',
    meaning: '`config.json`, route folders and scripts are used as before the change.',
    action: 'Correct the configuration by the problems of the entry.',
  },
  UNIT_STILL_ACCEPTS: {
    message: 'a thread that can not be ended still accepts connections; the gateway is not ready',
    meaning:
      'Its sockets could not be shut down for the reason in the entry: the system gives it a part of the new connections, which get no response until the thread ends. Readiness fails as long.',
    action: 'Restart the gateway. Node needs its module node:ffi, and Linux.',
  },
  UNIT_STUCK: {
    message:
      'the thread of a unit can not be ended: it hangs in a native call; a successor is started, restart the gateway to get rid of it',
    meaning:
      'The thread stays until the process ends, by SIGKILL after its last log entry where the thread still hangs; a new unit serves.',
    action: 'Restart the gateway when convenient; check network file systems.',
  },
  UNIT_UNRESPONSIVE: {
    message: 'a unit does not answer; the gateway is not ready',
    meaning: 'Requests at this unit wait; readiness fails until it answers.',
    action: 'Check scripts and regular expressions for blocking code; the unit is terminated if it does not recover.',
  },
  SERVERS_LOCAL: {
    message: 'the lookup of servers found loopback or link-local addresses, which are not used',
    meaning: 'Requests are sent to the other addresses of the name. With none the last good ones are used.',
    action: 'Check the DNS records of the name. Set `allowLocal` of `discovery` where they are meant.',
  },
  SERVERS_NOT_FOUND: {
    message: 'the lookup of servers failed: the last good ones are used',
    meaning: 'Servers that join or leave are not noticed. Where no lookup has succeeded yet, requests get 503.',
    action: 'Check the name in `discovery` of the UpstreamService, and the name servers.',
  },
  SERVER_UNHEALTHY: {
    message: 'a server is unhealthy: it gets no requests',
    meaning: 'Its health checks fail. Other servers of the UpstreamService get its requests.',
    action: 'Check the server that `upstream` names, and the settings of `healthCheck`.',
  },
})
