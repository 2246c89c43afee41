import Client
import Observability
import Redaction
import RPC
package import Server

extension Device {
  /// The sizes of the device's growing data, with their limits.
  func bounds() async -> [Bound] {
    let log = log.occupancy
    return [
      Bound("event_streams_of_a_device", limit: DeviceRoutes.streamLimit, used: events.subscriberCount),
      Bound("events_held_for_a_reconnect", limit: events.capacity, used: events.heldCount),
      Bound("event_bytes_held_for_a_reconnect", limit: events.byteCapacity, used: events.heldBytes),
      Bound("inbox_waits_of_a_device", limit: longPolls.limit, used: longPolls.takenCount),
      Bound("replays_of_a_device", limit: replays.limit, used: replays.takenCount),
      Bound("exports_of_a_device", limit: exports.limit, used: exports.takenCount),
      Bound("explanations_of_a_device", limit: explanations.limit, used: explanations.takenCount),
      Bound("network_rows", limit: log.capacity, used: log.rows),
      Bound("pinned_rows", limit: log.pinLimit, used: log.pins),
      Bound("logged_body_bytes", limit: log.bodyLimit, used: log.bodyBytes),
      Bound("waiting_recordings", limit: log.waitingLimit, used: log.waiting),
      Bound("unsaved_rows", limit: log.unsavedLimit, used: log.unsaved),
      Bound("timeline_entries", limit: timeline.capacity, used: timeline.count),
      Bound("cache_memory_bytes", limit: HTTPCache.standardLimit, used: client.cachedBytes),
      Bound("cache_disk_bytes", limit: DiskCache.standardLimit, used: await client.cachedBytesOnDisk()),
      Bound("unsent_cue_edits", limit: Outbox.limit, used: await cues.unsentEdits()),
      Bound("retry_tokens", limit: RetryBudget.capacity, used: client.api.spentRetryTokens),
      Bound("refreshes_in_30_seconds", limit: SessionMachine.windowLimit, used: await client.session.recentRefreshes()),
      Bound("fault_rules", limit: FaultPlan.limit, used: faults.plan.entries.count),
      Bound("fault_text_bytes", limit: FaultPlan.textLimit, used: faults.plan.textBytes),
    ]
  }
}

extension DeviceRegistry {
  /// The sizes of growing data in devices, browsers and clients, with the limits; for each limit of a device, the fullest device
  /// counts.
  package func bounds() async -> [Bound] {
    var all: [Bound] = []
    let devices = awakeDevices()
    for device in devices { all += await device.bounds() }
    let counts = await store.counts()
    return Bound.fullest(all) + (await savedBounds()) + [
      Bound("browsers_without_session", limit: BrowserStore.browserLimit, used: counts.browsersWithoutSession),
      Bound("recognised_callers", limit: CredentialCache.limit, used: store.credentials.count),
      Bound("devices_of_a_browser", limit: BrowserStore.deviceLimit, used: counts.devices),
      Bound("stranger_body_bytes", limit: ConsoleCall.bodyLimitWithoutDevice),
      Bound("devices_awake", limit: limit, used: devices.count),
      Bound("resting_fault_text_bytes", limit: SleepingDeviceFaultRules.textLimit, used: restingTextBytes),
      Bound("device_idle_seconds", limit: Int(idleLimit.components.seconds)),
      Bound("one_logged_body_bytes", limit: Redactor.maximumBodyBytes),
      Bound("backend_headers_bytes", limit: TransportConfiguration.headerLimit),
      Bound("backend_body_bytes", limit: TransportConfiguration.standardResponseLimit),
      Bound("app_config_bytes", limit: AppEndpoints.AppConfig.answerLimit ?? 0),
      Bound("backend_call_seconds", limit: Int(EndpointTimeout.standard.whole.components.seconds)),
    ]
  }
}
